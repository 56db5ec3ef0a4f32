import { basename } from 'node:path';
import type * as z from 'zod';
import { messageOf, systemCode } from '../errors.ts';
import { below, pathOf, type Place } from './place.ts';
import { FileTooLargeError, listFolder, readFile } from './project-files.ts';

/** A file of the project that could not be read. It is left as it is. */
export interface FileProblem {
  readonly file: string;
  /** What is wrong with it, in one sentence. */
  readonly message: string;
  /** What kept it from being read, where it was not what it holds. */
  readonly cause?: unknown;
}

/** Read at once. More would only make the disk seek. */
const AT_ONCE = 16;

/** Ids name files, and come from files too: one that could lead elsewhere is not one of ours. */
export const canNameAFile = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(id);

/** The place of `<id>.json`, or of a file with another ending, in a folder. Throws for an id that cannot name a file. */
export function fileOf(folder: Place, id: string, ending = 'json'): Place {
  if (!canNameAFile(id)) throw new Error(`"${id}" cannot be the name of a file.`);
  return below(folder, `${id}.${ending}`);
}

/** Reads one file by its schema. */
export async function readJson<T>(
  place: Place,
  schema: z.ZodType<T>,
  maxBytes: number,
): Promise<{ readonly value: T } | { readonly problem: FileProblem }> {
  const problem = (message: string, cause?: unknown) => ({ problem: { file: pathOf(place), message, cause } });
  try {
    const json: unknown = JSON.parse((await readFile(place, maxBytes)).toString('utf8'));
    if (isNewer(json)) return problem('It was written by a newer Dailies.');
    const read = schema.safeParse(json);
    if (read.success) return { value: read.data };
    const [issue] = read.error.issues;
    return problem(`It is not as expected at "${issue?.path.join('.') ?? ''}": ${issue?.message ?? ''}`);
  } catch (error) {
    const why = error instanceof FileTooLargeError ? error.message : `It cannot be read: ${messageOf(error)}`;
    return problem(why, error);
  }
}

function isNewer(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'format' in json && Number(json.format) > 1;
}

/**
 * Reads whatever is called `*.json` in a folder and whose id (the name without its ending) is `wanted`, in the order of
 * their names; those that cannot be read are named.
 */
export async function readAllJson<T>(
  folder: Place,
  schema: z.ZodType<T>,
  maxBytes: number,
  wanted: (id: string) => boolean = () => true,
): Promise<{ readonly values: T[]; readonly problems: FileProblem[] }> {
  const names = (await jsonNames(folder)).filter((name) => wanted(basename(name, '.json')));
  const values: T[] = [];
  const problems: FileProblem[] = [];
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const group = names.slice(start, start + AT_ONCE).map((name) => readJson(below(folder, name), schema, maxBytes));
    for (const read of await Promise.all(group)) {
      if ('value' in read) values.push(read.value);
      else problems.push(read.problem);
    }
  }
  return { values, problems };
}

/** Links and pipes among them too: a take that cannot be read must not pass as one that was never made. */
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
