import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import { LONGEST_KEY, LONGEST_PATH } from '../../contract/units.ts';

/** The target of a media cell. */
export type MediaReference =
  | { readonly at: 'url'; readonly url: string }
  /** `reference` is the form requests carry: `Asset://<asset_id>`. */
  | { readonly at: 'asset'; readonly reference: string }
  | { readonly at: 'local'; readonly path: string }
  /** A take of another shot of the list. `name` is what follows `Shot://`; see `shotNamed`. */
  | { readonly at: 'shot'; readonly name: string }
  | { readonly at: 'nowhere'; readonly problem: Message; readonly remedy: Message };

/** Reads one media cell, or one item of a list cell. Looks at the text alone, never at the disk. */
export function readMediaReference(text: string): MediaReference {
  const asset = /^asset:\/\/(.*)$/is.exec(text);
  if (asset !== null) return readAssetId(asset[1] ?? '');
  const shot = /^shot:\/\/(.*)$/is.exec(text);
  if (shot !== null) return { at: 'shot', name: (shot[1] ?? '').slice(0, LONGEST_KEY) };
  if (/^https?:\/\//i.test(text)) return readUrl(text);
  if (isElsewhere(text)) return elsewhere;
  const scheme = /^([a-z][a-z0-9+.-]+):(\/\/|[^\\/])/i.exec(text)?.[1];
  if (scheme !== undefined) {
    return {
      at: 'nowhere',
      problem: messageFor('defect.schemeUnusable', { scheme }),
      remedy: messageFor('remedy.giveMedia'),
    };
  }
  if (text.length <= LONGEST_PATH) return { at: 'local', path: text };
  const problem = messageFor('defect.nameTooLong', { length: text.length, most: LONGEST_PATH });
  return { at: 'nowhere', problem, remedy: messageFor('remedy.shorten') };
}

/** A name that is a device on Windows, in any folder and with any ending. */
const DEVICE = /(?:^|[\\/])(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\s*(?:[.:]|$))[^\\/]*$/i;

/**
 * Whether a path leads to another machine or to a device, by its text alone: merely looking at `\\\\host\\share` makes
 * Windows log in there, which gives the host what it needs to guess the password. Refused on every system, since lists
 * travel.
 */
function isElsewhere(text: string): boolean {
  return /^(?:[\\/]{2}|\\\?\?\\|file:)/i.test(text) || DEVICE.test(text);
}

/** Whether a folder that a project names is on another machine than the project itself, or leads to a device. */
export const isStrangeFolder = (folder: string, project: string): boolean =>
  isElsewhere(folder) && (machineIn(folder) === null || machineIn(folder) !== machineIn(project));

const machineIn = (path: string): string | null => /^[\\/]{2}([^\\/?.][^\\/]*)/.exec(path)?.[1]?.toLowerCase() ?? null;

const elsewhere: MediaReference = {
  at: 'nowhere',
  problem: messageFor('defect.pathElsewhere'),
  remedy: messageFor('remedy.copyAndName'),
};

function readAssetId(id: string): MediaReference {
  if (id.length <= LONGEST_KEY && /^[^\s/]+$/.test(id)) return { at: 'asset', reference: `Asset://${id}` };
  return {
    at: 'nowhere',
    problem: messageFor('defect.assetWithoutId'),
    remedy: messageFor('remedy.writeAssetId'),
  };
}

export function bareAssetId(text: string): string {
  return text.replace(/^asset:\/\//i, '');
}

/**
 * A medium as a request carries it, given what each local path (as written) was uploaded as. A local file that was not
 * uploaded stays as its path: an upload that is missing must be seen, not guessed around.
 */
export function sentAddress(cell: string, assets: ReadonlyMap<string, string>): string {
  const reference = readMediaReference(cell);
  switch (reference.at) {
    case 'local':
      return assets.get(cell) ?? cell;
    case 'asset':
      return reference.reference;
    case 'url':
    case 'shot':
    case 'nowhere':
      return cell;
  }
}

/** What nearly every address looks like; only the others need a real parser, which takes ten times as long. */
const PLAIN_URL = /^https?:\/\/[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+(\/[\w./%~+=&?!@:,-]*)?$/i;

function readUrl(url: string): MediaReference {
  if (PLAIN_URL.test(url) || (URL.canParse(url) && !/[\s\p{Cc}]/u.test(url))) return { at: 'url', url };
  return {
    at: 'nowhere',
    problem: messageFor('defect.notUrl'),
    remedy: messageFor('remedy.copyUrl'),
  };
}

/** The items of a list cell: split on `;`, `|` or line breaks, without empty ones. */
export function splitList(text: string): string[] {
  return text
    .split(/[;|\n]/)
    .map((item) => withoutQuotes(item.trim()))
    .filter((item) => item !== '');
}

/** "Copy as path" wraps a path in quotes. */
export function withoutQuotes(text: string): string {
  return text.length > 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** Path of a file that is sent with a request. The take of another shot takes its place only when that is sent. */
export function sentFile(cell: string, listFolder: string): string {
  return readMediaReference(cell).at === 'shot' ? cell : localPath(cell, listFolder);
}

/**
 * Absolute path of a local file named in a cell: relative ones start at the folder of the shot list, `~` is the
 * user's home. Lists written on Windows also work elsewhere, so backslashes separate folders on every system.
 */
export function localPath(cell: string, listFolder: string, home: string = homedir()): string {
  const path = process.platform === 'win32' ? cell : cell.replaceAll('\\', '/');
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(listFolder, path);
}
