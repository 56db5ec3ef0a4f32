import type { Json } from '../../contract/json.ts';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Message, messageFor } from '../../contract/messages/message.ts';
import { MAX_KEY, MAX_PATH } from '../../contract/units.ts';
import type { AssetRole } from '../../contract/asset.ts';
import type { KindSpec, MediaType } from '../../contract/kinds/spec.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { MediaUse } from './rules.ts';

type MediaReference =
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
  if (shot !== null) return { at: 'shot', name: (shot[1] ?? '').slice(0, MAX_KEY) };
  if (/^https?:\/\//i.test(text)) return readUrl(text);
  if (isElsewhere(text)) return elsewhere;
  const scheme = /^([a-z][a-z0-9+.-]+):(\/\/|[^\\/])/i.exec(text)?.[1];
  if (scheme !== undefined)
    return nowhere(messageFor('defect.schemeUnusable', { scheme }), messageFor('remedy.giveMedia'));
  if (text.length <= MAX_PATH) return { at: 'local', path: text };
  const problem = messageFor('defect.nameTooLong', { length: text.length, most: MAX_PATH });
  return nowhere(problem, messageFor('remedy.shorten'));
}

const nowhere = (problem: Message, remedy: Message): MediaReference => ({ at: 'nowhere', problem, remedy });

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

const elsewhere = nowhere(messageFor('defect.pathElsewhere'), messageFor('remedy.copyAndName'));

function readAssetId(id: string): MediaReference {
  if (id.length <= MAX_KEY && /^[^\s/]+$/.test(id)) return { at: 'asset', reference: `Asset://${id}` };
  return nowhere(messageFor('defect.assetWithoutId'), messageFor('remedy.writeLike', { example: 'Asset://ID' }));
}

export const bareAssetId = (text: string): string => text.replace(/^asset:\/\//i, '');

export const bareAlias = (alias: string): string => alias.replace(/^@/, '');

/**
 * A medium as a request carries it, given what each local path (as written) was uploaded as. A local file that was not
 * uploaded stays as its path: an upload that is missing must be seen, not guessed around.
 */
export function sentAddress(cell: string, assets: ReadonlyMap<string, string>): string {
  const reference = readMediaReference(cell);
  if (reference.at === 'local') return assets.get(cell) ?? cell;
  return reference.at === 'asset' ? reference.reference : cell;
}

/** The media of a parameter as a request carries them; undefined where the row names none. */
export function sentAddresses(value: Json | undefined, assets: ReadonlyMap<string, string>): string[] | undefined {
  const cells = cellsIn(value);
  return cells.length === 0 ? undefined : cells.map((cell) => sentAddress(cell, assets));
}

export const cellsIn = (value: Json | undefined): string[] =>
  value === undefined ? [] : [value].flat().filter((cell) => typeof cell === 'string');

/** What nearly every address looks like; only the others need a real parser, which takes ten times as long. */
const PLAIN_URL = /^https?:\/\/[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+(\/[\w./%~+=&?!@:,-]*)?$/i;

function readUrl(url: string): MediaReference {
  if (PLAIN_URL.test(url) || (URL.canParse(url) && !/[\s\p{Cc}]/u.test(url))) return { at: 'url', url };
  return nowhere(messageFor('defect.notUrl'), messageFor('remedy.copyUrl'));
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

/** Absolute path of a file in a cell: from the list's folder; `~` is home; backslashes separate on every system. */
export function localPath(cell: string, listFolder: string, home: string = homedir()): string {
  const path = process.platform === 'win32' ? cell : cell.replaceAll('\\', '/');
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1));
  return resolve(listFolder, path);
}

/**
 * Reads the media out of a kind's media parameters, in the order of its spec. `roles` by the name of the parameter; what
 * has a purpose of the service plays none.
 */
export function namedMedia(
  spec: KindSpec,
  sentAs: MediaUse['sentAs'],
  roles: Readonly<Record<string, AssetRole>> = {},
): (params: ShotSpec['params']) => MediaUse[] {
  const parameters = spec.parameters.filter((parameter) => 'media' in parameter);
  return (params) =>
    parameters.flatMap((parameter) => {
      const { name, media } = parameter;
      const purpose = parameter.type === 'media' ? parameter.purpose : undefined;
      const role = roles[name] ?? (media === 'any' || purpose !== undefined ? '' : (`reference_${media}` as const));
      const more = purpose !== undefined && { purpose };
      return cellsIn(params[name]).map((cell) => ({ column: name, media, cell, sentAs, role, ...more }));
    });
}

type KnownMedia = Exclude<MediaType, 'any'>;

const extensions: Readonly<Record<KnownMedia, readonly string[]>> = {
  image: ['png', 'jpg', 'jpeg', 'webp', 'gif', 'bmp', 'tif', 'tiff', 'heic', 'heif', 'avif'],
  video: ['mp4', 'mov', 'webm', 'm4v', 'mkv', 'avi'],
  audio: ['mp3', 'wav', 'm4a', 'aac', 'flac', 'ogg', 'opus'],
};

const knownMedia: readonly KnownMedia[] = ['image', 'video', 'audio'];

/** The media type of an extension (without dot, any case), or null if uncertain. */
export function toMediaType(extension: string): KnownMedia | null {
  const wanted = extension.toLowerCase();
  return knownMedia.find((type) => extensions[type].includes(wanted)) ?? null;
}

export function toExtensions(media: MediaType): readonly string[] {
  return media === 'any' ? knownMedia.flatMap((known) => extensions[known]) : extensions[media];
}
