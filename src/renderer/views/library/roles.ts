import { t } from '../../../contract/messages/words.ts';
import type { UploadTarget } from '../../../contract/asset.ts';

interface RoleWords {
  readonly name: string;
  readonly label: string;
  readonly target: Pick<UploadTarget, 'role' | 'purpose' | 'type'>;
}

/** The uses of an uploaded medium. The digital-human ones are purposes of the service, the others roles in a shot. */
export const uploadRoles: readonly RoleWords[] = [
  { name: 'reference_image', label: t('library.referenceImage'), target: { role: 'reference_image', type: 'image' } },
  { name: 'first_frame', label: t('column.firstFrame'), target: { role: 'first_frame', type: 'image' } },
  { name: 'last_frame', label: t('column.lastFrame'), target: { role: 'last_frame', type: 'image' } },
  { name: 'reference_video', label: t('library.referenceVideo'), target: { role: 'reference_video', type: 'video' } },
  { name: 'reference_audio', label: t('column.referenceAudio'), target: { role: 'reference_audio', type: 'audio' } },
  { name: 'digital_human_avatar', label: t('library.avatar'), target: { purpose: 'digital_human_avatar' } },
  { name: 'digital_human_voice', label: t('library.voice'), target: { purpose: 'digital_human_voice' } },
  {
    name: 'digital_human_authorization',
    label: t('library.authorization'),
    target: { purpose: 'digital_human_authorization' },
  },
];

/** Choices of a form. `auto` takes what fits the kind of each file; `none` says nothing. */
export interface UploadChoices {
  readonly role: string;
  readonly model: string;
  readonly group: string;
}

export const ANY_MODEL = 'any';
export const DEFAULT_GROUP = 'default';

const usual: Readonly<Record<string, string>> = {
  image: 'reference_image',
  video: 'reference_video',
  audio: 'reference_audio',
};

/** The fields of the upload for one file. `mime` is the file's type by the browser; may be empty. */
export function targetFor(choices: UploadChoices, mime: string): UploadTarget {
  const name = choices.role === 'auto' ? usual[mime.split('/')[0] ?? ''] : choices.role;
  const role = uploadRoles.find((each) => each.name === name);
  return {
    ...role?.target,
    ...(choices.model !== ANY_MODEL && { model: choices.model }),
    ...(choices.group !== DEFAULT_GROUP && { group: choices.group }),
  };
}

/** Endings of media for which browsers have no type. */
const MEDIA_ENDING = /\.(mkv|avi|mxf|mov|m4v|heic|heif|tiff?|flac|aiff?|m4a|opus|wav)$/i;

/** Whether a shot could ever use it. Anything else would lie in the library for good. */
export const isMedium = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  /^(image|video|audio)\//.test(type) || (type === '' && MEDIA_ENDING.test(name));

const words: Readonly<Record<string, string>> = {
  // The other purpose of such an upload that the reference shows.
  video_reference: t('library.referenceVideo'),
  ...Object.fromEntries(uploadRoles.map(({ name, label }) => [name, label])),
};

/** A role or purpose in words; an unknown one as it is, with spaces. */
export const roleWord = (name: string): string => words[name] ?? name.replaceAll('_', ' ');

export const roleChoices = [
  { value: 'auto', label: t('library.roleAuto'), hint: t('library.roleAutoHint') },
  ...uploadRoles.map(({ name, label }) => ({ value: name, label })),
];
