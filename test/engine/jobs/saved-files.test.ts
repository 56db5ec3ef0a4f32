import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SavedTake } from '../../../src/engine/db/job-store.ts';
import { lookAtFiles } from '../../../src/engine/jobs/saved-files.ts';
import type { StepContext } from '../../../src/engine/jobs/step-context.ts';
import { folderOfTest } from '../../support/folders.ts';

it('gives way after each slice of the takes of one folder', async () => {
  const project = folderOfTest();
  mkdirSync(join(project, 'Day 1'));
  writeFileSync(join(project, 'Day 1', 'take.mp4'), 'film');
  let turns = 0;
  const turnsBefore: number[] = [];
  function* onceSaved(): Generator<SavedTake[]> {
    for (let slice = 0; slice < 4; slice += 1) {
      turnsBefore.push(turns);
      setImmediate(() => (turns += 1));
      yield [{ id: `take-${slice}`, project, revision: 1, isSaved: true, trash: null, files: ['Day 1/take.mp4'] }];
    }
  }
  const context = { jobs: { onceSaved }, stopping: new AbortController().signal } as unknown as StepContext;
  await lookAtFiles(context, { projectId: 'project' });
  expect(turnsBefore).toEqual([0, 1, 2, 3]);
});
