import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { Recipe } from '../../../src/contract/take.ts';
import type { FileProblem, JsonRead } from '../../../src/engine/files/json-files.ts';

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
