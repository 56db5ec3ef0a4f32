import { expect, it } from 'vitest';
import type { JobView } from '../../../src/contract/job.ts';
import { columnsOfAll } from '../../../src/renderer/lib/grouping.ts';
import { ColumnTexts, headedRows } from '../../../src/renderer/views/queue/rows/headed-rows.ts';

const job = (id: string, shot: string): JobView => ({ id, shot, model: 'm', project: 'Film', batch: 'Day' }) as JobView;
const jobs = [job('a', '010'), job('b', '020'), job('c', '010'), job('d', '030')];
const title = (_group: unknown, name: string): string => name || 'Without';

it('jobs are put under the scene that their list says, those without one last, each in its order', () => {
  const texts = new ColumnTexts();
  expect(texts.missing(jobs, 3)).toEqual(['a', 'b', 'c']);
  texts.put(['a', 'b', 'c'], ['Scene 10', 'Scene 2', 'Scene 10']);
  expect(texts.missing(jobs, 3)).toEqual(['d']);
  const { jobs: rows, headings } = headedRows(jobs, { by: 'column', column: 'scene' }, (id) => texts.of(id), title);
  expect(rows.map(({ id }) => id)).toEqual(['b', 'a', 'c', 'd']);
  expect([...headings]).toEqual([
    ['b', { title: 'Scene 2', count: 1 }],
    ['a', { title: 'Scene 10', count: 2 }],
    ['d', { title: 'Without', count: 1 }],
  ]);
  expect(headedRows(jobs, undefined, () => '', title)).toMatchObject({ jobs });
});

it('columns of all projects in view are offered once each, however a list writes them', () => {
  expect(columnsOfAll([['Scene', 'Day'], ['scene', 'Lens'], []])).toEqual(['Scene', 'Day', 'Lens']);
});
