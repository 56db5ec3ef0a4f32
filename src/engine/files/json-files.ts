import { JsonTooDeepError, MAX_JSON_DEPTH, parseBoundedJson } from '../../contract/json.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { basename } from 'node:path';
import type * as z from 'zod';
import { systemCode, textOf } from '../base/errors.ts';
import { below, pathOf, type Place } from './place.ts';
import { FileTooLargeError, listFolder, readFile, readFiles } from './project-files.ts';

/** A file of the project that could not be read. It was left unchanged. */
export interface FileProblem {
  readonly file: string;
  /** The problem, in one sentence. */
  readonly message: Text;
  /** The error that prevented reading, unless the content was wrong. */
  readonly cause?: unknown;
}

/** Files read concurrently. Each is open briefly, and a system may allow only 256 open files. */
const AT_ONCE = 64;

/** Ids become file names and also come from files, so an id that could lead to another folder is refused. */
export const canNameAFile = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(id);

/** The place of `<id>.json`, or another extension, in a folder. Throws for an id that cannot be a file name. */
export function fileOf(folder: Place, id: string, ending = 'json'): Place {
  if (!canNameAFile(id)) throw new Error(`"${id}" cannot be the name of a file.`);
  return below(folder, `${id}.${ending}`);
}

/** The content of a file, or the reason why it cannot be read. */
export type JsonRead<T> = { readonly value: T } | { readonly problem: FileProblem };

/** Reads one file by its schema. */
export async function readJson<T>(place: Place, schema: z.ZodType<T>, maxBytes: number): Promise<JsonRead<T>> {
  try {
    return parse(place, await readFile(place, maxBytes), schema);
  } catch (error) {
    const why = error instanceof FileTooLargeError ? error.text : notRead(error);
    return { problem: { file: pathOf(place), message: why, cause: error } };
  }
}

function parse<T>(place: Place, content: Buffer, schema: z.ZodType<T>): JsonRead<T> {
  const problem = (message: Text, cause?: unknown) => ({ problem: { file: pathOf(place), message, cause } });
  try {
    const json: unknown = parseBoundedJson(content.toString('utf8'));
    if (isNewer(json)) return problem(messageFor('failure.newerFile'));
    const checked = schema.safeParse(json);
    if (checked.success) return { value: checked.data };
    const [issue] = checked.error.issues;
    const facts = { place: issue?.path.join('.') ?? '', reason: issue?.message ?? '' };
    return problem(messageFor('failure.unexpectedAt', facts));
  } catch (error) {
    return problem(notRead(error), error);
  }
}

function notRead(error: unknown): Text {
  const isTooDeep = error instanceof JsonTooDeepError;
  const reason = isTooDeep ? messageFor('defect.jsonTooDeep', { most: MAX_JSON_DEPTH }) : textOf(error);
  return messageFor('failure.cannotBeRead', { reason });
}

function isNewer(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'format' in json && Number(json.format) > 1;
}

/**
 * Reads the `*.json` files of a folder whose id (the name without extension) is `wanted`, sorted by name, some at a
 * time. Reports the files that it cannot read.
 */
export async function* readAllJson<T>(
  folder: Place,
  schema: z.ZodType<T>,
  maxBytes: number,
  wanted: (id: string) => boolean,
): AsyncGenerator<JsonRead<T>[]> {
  const names = (await jsonNames(folder)).filter((name) => wanted(basename(name, '.json')));
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const contents = await readFiles(folder, some, maxBytes);
    yield await Promise.all(
      some.map((name, index) => {
        const [place, content] = [below(folder, name), contents[index]];
        return content ? parse(place, content, schema) : readJson(place, schema, maxBytes);
      }),
    );
  }
}

/** Includes links and pipes, so that a take that cannot be read is not mistaken for one that was never made. */
export async function jsonNames(folder: Place): Promise<string[]> {
  try {
    const entries = await listFolder(folder);
    return entries
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
