import type { Settings } from '../../contract/settings.ts';
import type { UploadFields } from '../api/resources/assets.ts';
import type { StoredUpload } from '../db/upload-store.ts';

/** How much a form that brings a file says; see `assumed.uploadForm` of the settings. */
export type UploadForm = Settings['assumed']['uploadForm'];

/** A field that must be said with a file all the same: it is made ready for a model, or a person has chosen it. */
export type Said = 'model' | 'mode' | 'role';

/** A reference video is made ready for one model of the CL line alone (reference, "CL video line"). */
export const ALL_SAID: readonly Said[] = ['model', 'mode', 'role'];

/** Everything an upload says about itself. `metadata` names it for people, and tags it for us. */
export function allFields({ id, name, type, model, mode, purpose, role, groupId }: StoredUpload): UploadFields {
  return {
    ...(model !== '' && { model }),
    mode,
    type,
    ...(purpose !== '' && { purpose }),
    ...(role !== '' && { role }),
    ...(groupId !== '' && { groupId }),
    metadata: { name, dailies_upload: id },
  };
}

/**
 * The fields beside the file of a multipart upload. The reference shows `type` and `purpose` there, and the rest only for
 * uploads by address (service reference, "Assets and groups"). Pure.
 */
export function formFields(upload: StoredUpload, form: UploadForm, says: readonly Said[]): UploadFields {
  const { model, mode, type, purpose, role, groupId } = allFields(upload);
  const shown = { type, ...(purpose !== undefined && { purpose }) };
  switch (form) {
    case 'all':
      return allFields(upload);
    case 'shown':
      return shown;
    case 'needed':
      return {
        ...(says.includes('model') && model !== undefined && { model }),
        ...(says.includes('mode') && mode !== undefined && { mode }),
        ...shown,
        ...(says.includes('role') && role !== undefined && { role }),
        ...(groupId !== undefined && { groupId }),
      };
  }
}

/** True when a form says more than the reference shows. */
export function hasMoreFields({ type: _type, purpose: _purpose, ...more }: UploadFields): boolean {
  return Object.keys(more).length > 0;
}
