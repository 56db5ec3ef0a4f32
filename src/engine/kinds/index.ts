import type { Kind } from '../../contract/kinds/all.ts';
import type { Json } from '../../contract/json.ts';
import { mediumOf } from '../../contract/kinds/index.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { tasks } from '../api/resources/requests.ts';
import { allDrivers } from './all.ts';
import type { AnswerPart, KindDriver } from './driver.ts';
import { resultsOf } from './results.ts';
import type { KindRules } from './rules.ts';

export const driverOf = (kind: Kind): KindDriver => allDrivers[kind];

export const rulesOf = (kind: Kind): KindRules => allDrivers[kind].rules;

/** Path of the query of a task; that of generic tasks for a kind without its own. */
export function taskPathOf(shot: Pick<ShotSpec, 'kind' | 'params'>, taskId: string, settings: Settings): string {
  return driverOf(shot.kind).taskPath?.(taskId, settings, shot) ?? tasks.path(taskId);
}

/**
 * The results in an answer: of a finished task, or of a request whose answer is the result. In its order and without
 * repeats, addresses complete with their signed query. Empty when there is none. `sent`: addresses that the request
 * named, which are no results of it.
 */
export function readResultOf(
  shot: Pick<ShotSpec, 'kind' | 'params'>,
  answer: Json,
  sent: ReadonlySet<string> = new Set(),
): AnswerPart[] {
  const medium = mediumOf(shot.kind, shot.params);
  return driverOf(shot.kind).readResult?.(answer, sent, shot) ?? resultsOf(answer, medium, { sent });
}
