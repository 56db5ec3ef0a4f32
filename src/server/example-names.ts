import type { ShotSpec } from '../contract/shot.ts';
import { outputNames, templateProblem } from '../engine/downloads/take-path.ts';
import { RefusedError } from '../engine/errors.ts';

const shot: ShotSpec = {
  key: '012_harbour',
  kind: 'video',
  model: 'vgen-2.0-cl',
  prompt: 'A harbour at dawn',
  takes: 2,
  params: {},
  extra: {},
  columns: { scene: 'Opening', sequence: '010' },
  priority: 0,
  notes: 'wide',
};

/**
 * How a name template comes out: two takes of a video, and one take of two images. Throws RefusedError when its braces
 * do not fit together.
 */
export function exampleNames(template: string): string[] {
  const problem = templateProblem(template);
  if (problem !== null) throw new RefusedError('bad_setting', problem, 'Put each field in a pair of braces.');
  const naming = { template, shot, batch: 'Day 1' };
  return [
    ...outputNames({ ...naming, take: 1 }, ['mp4']),
    ...outputNames({ ...naming, take: 2 }, ['mp4']),
    ...outputNames({ ...naming, shot: { ...shot, kind: 'image', key: '013_poster' }, take: 1 }, ['png', 'png']),
  ];
}
