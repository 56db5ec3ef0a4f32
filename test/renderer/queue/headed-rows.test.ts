import { expect, it } from 'vitest';
import { headedRows } from '../../../src/renderer/views/queue/rows/headed-rows.ts';
import { aJob } from './jobs.ts';

it('jobs are put under headings by name, each in the order its jobs had', () => {
  const jobs = ['Scene 10', 'Scene 2', 'Scene 10'].map((batch, at) => aJob({ id: String(at), project: 'Film', batch }));
  const { jobs: rows, headings } = headedRows(jobs, 'batch');
  expect(rows.map(({ id }) => id)).toEqual(['1', '0', '2']);
  expect([...headings]).toEqual([
    ['1', { title: 'Film · Scene 2', count: 1 }],
    ['0', { title: 'Film · Scene 10', count: 2 }],
  ]);
  expect(headedRows(jobs, undefined)).toMatchObject({ jobs });
});
