import { messageFor } from '../../contract/messages/message.ts';
import type { Problem } from '../../contract/shot.ts';
import { toExtensions, localPath, toMediaType, readMediaReference } from '../kinds/media-reference.ts';
import type { MediaUse } from '../kinds/rules.ts';

/** What the text of a media cell alone shows: a problem, or the local file to check next. */
export interface MediaVerdict {
  readonly complaint: Problem | null;
  /** Absolute path. */
  readonly file: string | null;
}

export interface MediaOptions {
  /** Absolute folder that relative paths start at. */
  readonly listFolder: string;
}

export function judgeMedium(use: MediaUse, options: MediaOptions): MediaVerdict {
  const reference = readMediaReference(use.cell);
  switch (reference.at) {
    case 'nowhere':
      return refused(reference);
    // Which shot it is, and what that makes, the whole list shows.
    case 'shot':
      return accepted;
    case 'asset':
      return use.sentAs === 'file' ? refused(needsFile) : accepted;
    case 'url':
      return use.sentAs === 'file' ? refused(needsFile) : (wrongType(use, toPath(reference.url)) ?? accepted);
    case 'local':
      return wrongType(use, reference.path) ?? { complaint: null, file: localPath(reference.path, options.listFolder) };
  }
}

const accepted: MediaVerdict = { complaint: null, file: null };

const refused = ({ problem, remedy }: Problem): MediaVerdict => ({ complaint: { problem, remedy }, file: null });

const needsFile: Problem = {
  problem: messageFor('defect.needsFile'),
  remedy: messageFor('remedy.copyAndName'),
};

function wrongType(use: MediaUse, path: string): MediaVerdict | null {
  const extension = /\.([A-Za-z0-9]{2,5})$/.exec(path)?.[1];
  const type = extension === undefined ? null : toMediaType(extension);
  // An address without a telling extension may be anything; a file on disk with a strange one is a slip.
  const strange = type === null && use.sentAs === 'file';
  if (extension === undefined || (type === use.media && !strange) || (type === null && !strange)) return null;
  if (use.media === 'any') return null;
  const wanted = use.media;
  const problem =
    type === null
      ? messageFor('defect.otherFile', { ending: extension.toLowerCase(), wanted })
      : messageFor('defect.otherMedium', { found: type, wanted });
  return refused({ problem, remedy: messageFor('remedy.nameMedium', { wanted, endings: toExtensions(wanted) }) });
}

/** The path of a URL: without the address of the server, whose name may end like a file, and without the query. */
function toPath(url: string): string {
  return /^https?:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
}
