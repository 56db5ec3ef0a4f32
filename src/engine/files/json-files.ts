import { JsonTooDeepError, JsonTooLongError, MAX_JSON_DEPTH, parseBoundedJson } from '../../contract/json.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { basename } from 'node:path';
import type * as z from 'zod';
import { ErrorWithText, isFileHeld, systemCode, toText } from '../base/errors.ts';
import { below, FileInCloudError, toPath, type Place } from './place.ts';
import { FileTooLargeError, listFolder, nameInCloud, readFile, readFiles } from './project-files.ts';

export interface FileProblem {
  readonly file: string;
  readonly message: Text;
  /** The error that prevented reading, unless the content was wrong. */
  readonly cause?: unknown;
}

/** Files read concurrently. Each is open briefly, and a system may allow only 256 open files. */
const AT_ONCE = 64;
/** Larger files are read one by one, so that what is in memory at once is bounded. */
const SMALL_BYTES = 256 * 1000;

/** Ids become file names and also come from files, so an id that could lead to another folder is refused. */
export const canNameAFile = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(id);

/** The place of `<id>.json`, or another extension, in a folder. Throws for an id that cannot be a file name. */
export function fileFor(folder: Place, id: string, ending = 'json'): Place {
  if (!canNameAFile(id)) throw new Error(`"${id}" cannot be the name of a file.`);
  return below(folder, `${id}.${ending}`);
}

export type JsonRead<T> = { readonly value: T } | { readonly problem: FileProblem };

/** Values in JSON that is checked as a whole; zod may tell several hundred bytes of each. */
export const MAX_VALUES = 250_000;

/** Reads one file by its schema. A schema that tells no more than one issue may be given more values. */
export async function readJson<T>(
  place: Place,
  schema: z.ZodType<T>,
  maxBytes: number,
  maxValues = MAX_VALUES,
): Promise<JsonRead<T>> {
  try {
    return parse(place, await readFile(place, maxBytes), schema, maxValues);
  } catch (error) {
    return problemIn(place, error);
  }
}

function parse<T>(place: Place, content: Buffer, schema: z.ZodType<T>, maxValues = MAX_VALUES): JsonRead<T> {
  try {
    return checkJson(place, parseBoundedJson(content.toString('utf8'), { maxValues }), schema);
  } catch (error) {
    return problemIn(place, error);
  }
}

/** Checks a value of a file, which lies in the file at `path`. */
export function checkJson<T>(
  place: Place,
  json: unknown,
  schema: z.ZodType<T>,
  path: readonly PropertyKey[] = [],
): JsonRead<T> {
  const problem = (message: Text) => ({ problem: { file: toPath(place), message } });
  if (path.length === 0 && isNewer(json)) return problem(messageFor('failure.newerFile'));
  const checked = schema.safeParse(json);
  if (checked.success) return { value: checked.data };
  const [issue] = checked.error.issues;
  const facts = { place: [...path, ...(issue?.path ?? [])].join('.'), reason: issue?.message ?? '' };
  return problem(messageFor('failure.unexpectedAt', facts));
}

export const problemIn = (place: Place, error: unknown): { readonly problem: FileProblem } => ({
  problem: {
    file: toPath(place),
    message: error instanceof FileTooLargeError ? error.text : notRead(error),
    cause: error,
  },
});

/** Throws for a file that is there and cannot be read now: it is not taken for one that is absent or wrong. */
export function requireReadable({ file, message, cause }: FileProblem): void {
  if (cause instanceof FileInCloudError) throw cause;
  if (isFileHeld(cause))
    throw new ErrorWithText(messageFor('common.namedValue', { name: file, value: message }), { cause });
}

function notRead(error: unknown): Text {
  return messageFor('failure.cannotBeRead', { reason: toReason(error) });
}

function toReason(error: unknown): Text {
  if (error instanceof JsonTooDeepError) return messageFor('defect.jsonTooDeep', { most: MAX_JSON_DEPTH });
  if (error instanceof JsonTooLongError) return messageFor('defect.jsonTooLong', { most: error.most });
  return toText(error);
}

function isNewer(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'format' in json && Number(json.format) > 1;
}

/** Reads the folder's `*.json` whose id is `wanted`, by name, large ones alone. Reports the files it cannot read. */
export async function* readAllJson<T>(
  folder: Place,
  schema: z.ZodType<T>,
  maxBytes: number,
  wanted: (id: string) => boolean,
): AsyncGenerator<JsonRead<T>[]> {
  const names = (await jsonNames(folder)).filter((name) => wanted(basename(name, '.json')));
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const contents = await readFiles(folder, some, SMALL_BYTES);
    const small = some.flatMap((name, index) => {
      const content = contents[index];
      return content ? [parse(below(folder, name), content, schema)] : [];
    });
    if (small.length > 0) yield small;
    for (const [index, name] of some.entries())
      if (!contents[index]) yield [await readJson(below(folder, name), schema, maxBytes)];
  }
}

/** Includes links, pipes and what only iCloud has: a take that cannot be read must not seem never made. */
export async function jsonNames(folder: Place): Promise<string[]> {
  try {
    const entries = await listFolder(folder);
    return entries
      .map(({ name }) => nameInCloud(name) ?? name)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
