import { expect, it } from 'vitest';
import type { JobView } from '../../../src/contract/job.ts';
import { fewOf, firstToSee, toStrip } from '../../../src/renderer/views/batch/run/shot-jobs.ts';

const job = (take: number, change: Partial<JobView> = {}): JobView =>
  ({
    ...{ id: `t${String(take)}`, shot: '010', take, kind: 'video', standing: 'saved', isSetAside: false },
    ...{ position: 0, files: [`Day 1/010_t${String(take)}.mp4`] },
    ...change,
  }) as JobView;
const takes = (jobs: readonly JobView[]): number[] => toStrip(jobs).map(({ take }) => take);

it('shows the takes that can be looked at in their order, and none that is in the trash or out of the list', () => {
  expect(takes([job(1), job(2), job(3)])).toEqual([1, 2, 3]);
  expect(takes([job(1, { standing: 'failed', files: [] }), job(2, { trash: 'trashed' }), job(3)])).toEqual([3]);
  expect(takes([job(1, { trash: 'emptied' }), job(2, { files: ['odd.exe'] }), job(3, { isSetAside: true })])).toEqual(
    [],
  );
  expect(toStrip([job(1, { kind: 'image', files: ['a/B.PNG'] })])[0]?.shown.outputs).toEqual([
    { number: 1, format: 'png' },
  ]);
});

it('shows the pick beside the newest takes, however old it is', () => {
  const few = (jobs: readonly JobView[]) => fewOf(toStrip(jobs), 2).map(({ take }) => take);
  expect(few([job(1, { flag: 'pick' }), job(2), job(3), job(4)])).toEqual([1, 4]);
  expect(few([job(1), job(2), job(3)])).toEqual([2, 3]);
  expect(few([1, 2, 3].map((take) => job(take, { flag: 'pick' })))).toEqual([2, 3]);
  expect(few([job(1)])).toEqual([1]);
});

it('opens the pick first, else the newest take that was not rejected', () => {
  const first = (jobs: readonly JobView[]) => firstToSee(toStrip(jobs))?.take ?? null;
  expect(first([job(1, { flag: 'pick' }), job(2)])).toBe(1);
  expect(first([job(1), job(2), job(3, { flag: 'reject' })])).toBe(2);
  expect(first([job(1, { flag: 'reject' })])).toBe(1);
  expect(first([])).toBeNull();
});
