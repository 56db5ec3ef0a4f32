import { constants, lstat, open, readdir } from 'node:fs/promises';
import { basename, extname, isAbsolute, join, relative } from 'node:path';
import { allKinds, type Kind } from '../../contract/kinds/all.ts';
import type { FileMedium, KindSpec } from '../../contract/kinds/spec.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { MAX_KEY } from '../../contract/units.ts';
import { toMediaType } from '../kinds/media-reference.ts';
import { shotsAsTable } from './written-list.ts';
import { decodeInPieces, detectEncoding } from './read-table.ts';

export interface MediaFile {
  /** As a cell has it: from the list's folder, or absolute. */
  readonly path: string;
  readonly medium: FileMedium;
  /** Of the text file beside it; empty without one. */
  readonly prompt: string;
  readonly shot?: ShotSpec | undefined;
}

export interface MediaRowOptions {
  readonly kind?: Kind | undefined;
  readonly model?: string | undefined;
  readonly prompt?: string | undefined;
  /** `NAME_start` and `NAME_end` are the first and last frame of one shot. */
  readonly pairs?: boolean | undefined;
}

/** Largest text file that is read as a prompt, bytes. */
const MAX_PROMPT_FILE = 100_000;

const byName = new Intl.Collator('en', { numeric: true });

/**
 * The rows for media files, in the order of their names, with the columns that these rows use. A file of a take becomes
 * a row that makes such a take. Pure.
 */
export function rowsFromMedia(
  files: readonly MediaFile[],
  { kind: wanted, model = '', prompt = '', pairs = false }: MediaRowOptions = {},
): { readonly headers: string[]; readonly rows: string[][] } {
  const sorted = files.toSorted((one, other) => byName.compare(one.path, other.path));
  const shots = new Map<string, Record<string, string>>();
  for (const file of sorted) {
    if (file.shot) {
      const { headers, rows } = shotsAsTable([{ ...file.shot, takes: 1 }]);
      const cells = headers.map((header, index) => [header, rows[0]?.[index] ?? ''] as const);
      const { shot: key = '', ...shot } = Object.fromEntries(cells.filter(([, cell]) => cell !== ''));
      shots.set(freeKey(key, shots), shot);
      continue;
    }
    const { kind, column: first, last } = useFor(file.medium, wanted);
    const stem = basename(file.path, extname(file.path)).slice(0, MAX_KEY - 8);
    const [, name, end] = (pairs && last !== undefined && /^(.+)_(start|end)$/i.exec(stem)) || [];
    const column = end?.toLowerCase() === 'end' ? (last ?? first) : first;
    const whole = name === undefined ? undefined : shots.get(name);
    const shot = whole && !(column in whole) ? whole : { kind, model };
    if (shot !== whole) shots.set(freeKey(name ?? stem, shots), shot);
    Object.assign(shot, { [column]: file.path, prompt: file.prompt || shot['prompt'] || prompt });
  }
  const headers = ['shot', ...new Set([...shots.values()].flatMap((shot) => Object.keys(shot)))];
  const rows = [...shots].map(([key, shot]) =>
    headers.map((header) => (header === 'shot' ? key : (shot[header] ?? ''))),
  );
  return { headers, rows };
}

/** What a file of this medium becomes: a row of the wanted kind where that can use it. */
function useFor(medium: FileMedium, wanted: Kind | undefined) {
  const uses = allKinds.flatMap(({ kind, fromMedia }: KindSpec<Kind>) => {
    const use = fromMedia?.[medium];
    return use ? [{ kind, ...use }] : [];
  });
  const use = uses.find(({ kind }) => kind === wanted) ?? uses.find(({ isUsual }) => isUsual);
  if (!use) throw new Error(`No kind is usual for ${medium}.`);
  return use;
}

function freeKey(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let key = wanted;
  for (let number = 2; taken.has(key); number += 1) key = `${wanted}-${String(number)}`;
  return key;
}

export interface FoundMedia {
  readonly files: readonly MediaFile[];
  /** Absolute paths of what became no row: links, folders in folders, files of other types, texts that cannot be read. */
  readonly leftOut: readonly string[];
}

/**
 * The media among these files, and in these folders. Opens the text files among them, and nothing else; follows no link.
 * `from` is the list's folder: paths below it are written relative to it. Rejects when a given path cannot be read.
 */
export async function findMedia(paths: readonly string[], from: string): Promise<FoundMedia> {
  const given = new Set((await Promise.all(paths.map(filesAt))).flat());
  const texts = new Map([...given].filter(isText).map((path) => [withoutExtension(path), path]));
  const leftOut = new Set(texts.values());
  const files: MediaFile[] = [];
  for (const path of given) {
    if (isText(path)) continue;
    const medium = toMediaType(extname(path).slice(1));
    if (medium === null || !(await lstat(path)).isFile()) {
      leftOut.add(path);
      continue;
    }
    const stem = withoutExtension(path);
    const text = texts.get(stem) ?? texts.get(stem.replace(/_(?:start|end)$/i, ''));
    const prompt = text === undefined ? null : await readPrompt(text);
    if (text !== undefined && prompt !== null) leftOut.delete(text);
    files.push({ path: cellFor(path, from), medium, prompt: prompt ?? '' });
  }
  return { files, leftOut: [...leftOut] };
}

async function filesAt(path: string): Promise<string[]> {
  if (!(await lstat(path)).isDirectory()) return [path];
  const names = await readdir(path);
  return names.filter((name) => !name.startsWith('.')).map((name) => join(path, name));
}

const isText = (path: string): boolean => extname(path).toLowerCase() === '.txt';

const withoutExtension = (path: string): string => path.slice(0, path.length - extname(path).length);

function cellFor(path: string, from: string): string {
  const way = relative(from, path);
  return way.startsWith('..') || isAbsolute(way) ? path : way.replaceAll('\\', '/');
}

async function readPrompt(path: string): Promise<string | null> {
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > MAX_PROMPT_FILE) return null;
    const bytes = await file.readFile();
    return [...decodeInPieces(bytes, detectEncoding(bytes), bytes.length + 1)].join('').trim();
  } catch {
    return null;
  }
}
