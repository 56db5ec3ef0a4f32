import type { Defect } from '../../contract/shot.ts';
import { extensionsOf, mediaTypeOf } from '../kinds/named-media.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';
import type { MediaUse } from '../kinds/rules.ts';

type Complaint = Pick<Defect, 'problem' | 'remedy'>;

/** What the text of a medium tells: what is wrong with it, or the local file that is still to be looked at. */
export interface MediaVerdict {
  readonly complaint: Complaint | null;
  /** Absolute path. */
  readonly file: string | null;
}

export interface MediaOptions {
  /** Absolute folder that relative paths start at. */
  readonly listFolder: string;
}

/** Judges one medium of a shot by its text alone. */
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
      return use.sentAs === 'file' ? refused(needsFile) : (wrongType(use, pathOf(reference.url)) ?? accepted);
    case 'local':
      return wrongType(use, reference.path) ?? { complaint: null, file: localPath(reference.path, options.listFolder) };
  }
}

const accepted: MediaVerdict = { complaint: null, file: null };

const refused = ({ problem, remedy }: Complaint): MediaVerdict => ({ complaint: { problem, remedy }, file: null });

const needsFile: Complaint = {
  problem: 'This image is sent with the request as a file, so it cannot be a URL or an asset.',
  remedy: 'Save the image beside the shot list and write its path.',
};

function wrongType(use: MediaUse, path: string): MediaVerdict | null {
  const extension = /\.([A-Za-z0-9]{2,5})$/.exec(path)?.[1];
  const type = extension === undefined ? null : mediaTypeOf(extension);
  // An address without a telling extension may be anything; a file on disk with a strange one is a slip.
  const strange = type === null && use.sentAs === 'file';
  if (extension === undefined || (type === use.media && !strange) || (type === null && !strange)) return null;
  if (use.media === 'any') return null;
  const what = type === null ? `a .${extension.toLowerCase()} file` : `${article(type)} ${type}`;
  return refused({
    problem: `This is ${what}, where ${article(use.media)} ${use.media} is wanted.`,
    remedy: `Name ${article(use.media)} ${use.media}: ${extensionsOf(use.media).join(', ')}.`,
  });
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? 'an' : 'a';
}

/** The path of a URL: without the address of the server, whose name may end like a file, and without the query. */
function pathOf(url: string): string {
  return /^https?:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1] ?? '';
}
