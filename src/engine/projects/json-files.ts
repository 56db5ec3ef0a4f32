import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type * as z from 'zod';
import { messageOf, systemCode } from '../errors.ts';

/** A file of the project that could not be read. It is left as it is. */
export interface FileProblem {
  readonly file: string;
  /** What is wrong with it, in one sentence. */
  readonly message: string;
}

/** Read at once. More would only make the disk seek. */
const AT_ONCE = 16;

/** Ids name files, and come from files too: one that could lead elsewhere is not one of ours. */
export const canNameAFile = (id: string): boolean => /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(id);

/** The path of `<id>.json` in a folder. Throws for an id that cannot name a file. */
export function jsonPath(folder: string, id: string): string {
  if (!canNameAFile(id)) throw new Error(`"${id}" cannot be the name of a file.`);
  return join(folder, `${id}.json`);
}

/** Reads one file by its schema. */
export async function readJson<T>(
  path: string,
  schema: z.ZodType<T>,
  maxBytes: number,
): Promise<{ readonly value: T } | { readonly problem: FileProblem }> {
  const problem = (message: string) => ({ problem: { file: path, message } });
  try {
    if ((await stat(path)).size > maxBytes) return problem('It is far larger than such a file can be.');
    const json: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isNewer(json)) return problem('It was written by a newer Dailies.');
    const read = schema.safeParse(json);
    if (read.success) return { value: read.data };
    const [issue] = read.error.issues;
    return problem(`It is not as expected at "${issue?.path.join('.') ?? ''}": ${issue?.message ?? ''}`);
  } catch (error) {
    return problem(`It cannot be read: ${messageOf(error)}`);
  }
}

function isNewer(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'format' in json && Number(json.format) > 1;
}

/**
 * Reads every `*.json` file of a folder whose id (the name without its ending) is `wanted`, in the order of their
 * names; those that cannot be read are named.
 */
export async function readAllJson<T>(
  folder: string,
  schema: z.ZodType<T>,
  maxBytes: number,
  wanted: (id: string) => boolean = () => true,
): Promise<{ readonly values: T[]; readonly problems: FileProblem[] }> {
  const names = (await jsonNames(folder)).filter((name) => wanted(basename(name, '.json')));
  const values: T[] = [];
  const problems: FileProblem[] = [];
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const group = names.slice(start, start + AT_ONCE).map((name) => readJson(join(folder, name), schema, maxBytes));
    for (const read of await Promise.all(group)) {
      if ('value' in read) values.push(read.value);
      else problems.push(read.problem);
    }
  }
  return { values, problems };
}

async function jsonNames(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json') && !entry.name.startsWith('.'))
      .map((entry) => entry.name)
      .sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}
