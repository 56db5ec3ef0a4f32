import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Recipe } from '../../../src/contract/take.ts';
import type { FileProblem, JsonRead } from '../../../src/engine/files/json-files.ts';
import type { FileTrouble, Verified, VerifyProgress } from '../../../src/engine/projects/verify-project.ts';
import { scratchFolder } from '../../support/scratch.ts';

export const shot = (key: string): ShotSpec => ({
  key,
  kind: 'image',
  model: 'img-1',
  prompt: 'a "quoted" prompt\nin two lines — ü',
  takes: 1,
  params: { size: '1024x1024' },
  extra: {},
  columns: {},
  priority: 0,
});

export const recipe = (takeId: string, changes: Partial<Recipe> = {}): Recipe => ({
  format: 1,
  takeId,
  take: 1,
  batch: { id: 'batch-1', name: 'Night' },
  shot: shot('001'),
  state: 'saved',
  createdAt: 1,
  updatedAt: 2,
  outputs: [{ number: 1, file: 'Night/001_t1.png', bytes: 5, sha256: 'ab', format: 'png', verified: true }],
  ...changes,
});

/** What all files of a folder hold, and which of them cannot be read. */
export async function gathered<T>(
  files: AsyncIterable<readonly JsonRead<T>[]>,
): Promise<{ readonly values: T[]; readonly problems: FileProblem[] }> {
  const read: JsonRead<T>[] = [];
  for await (const some of files) read.push(...some);
  return {
    values: read.flatMap((each) => ('value' in each ? [each.value] : [])),
    problems: read.flatMap((each) => ('problem' in each ? [each.problem] : [])),
  };
}

/** A folder in memory, where there is such a thing, that goes away with the test. */
export function folder(): string {
  const path = scratchFolder('dailies-project-');
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes a file, with the folders it is in. */
export function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** What a generator returns once it has told all; `tell` gets what it tells. */
export async function ended<Told, Result>(
  telling: AsyncGenerator<Told, Result, unknown>,
  tell: (told: Told) => void = () => undefined,
): Promise<Result> {
  for (;;) {
    const { done, value } = await telling.next();
    if (done) return value;
    tell(value);
  }
}

/** What a check of a project ends with, and each trouble that it found. */
export async function troublesOf(
  verifying: AsyncGenerator<VerifyProgress, Verified, unknown>,
): Promise<Verified & { readonly troubles: FileTrouble[] }> {
  const troubles: FileTrouble[] = [];
  const result = await ended(verifying, (told) => {
    if (told.type === 'trouble') troubles.push({ file: told.file, problem: told.problem });
  });
  return { ...result, troubles };
}
