import type { Kind } from '../../contract/kinds/all.ts';
import type { JsonObject } from '../../contract/json.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { tasks } from '../api/resources/tasks.ts';
import { allDrivers } from './all.ts';
import type { KindDriver } from './driver.ts';
import { anyPlaces, resultUrls } from './results.ts';
import type { KindRules } from './rules.ts';

/** How a kind speaks with the service. */
export const driverOf = (kind: Kind): KindDriver => allDrivers[kind];

/** The service's rules for a shot of a kind. */
export const rulesOf = (kind: Kind): KindRules => allDrivers[kind].rules;

/** Path of the query of a task; that of generic tasks for a kind without its own. */
export function taskPathOf(shot: Pick<ShotSpec, 'kind' | 'params'>, taskId: string, settings: Settings): string {
  return driverOf(shot.kind).taskPath?.(taskId, settings, shot) ?? tasks.path(taskId);
}

/**
 * Result URLs of a finished task, complete with their signed query, without repeats. Empty when there is none. Looks
 * first where the kind expects them, then in every place that the reference shows.
 */
export function readResultOf(kind: Kind, answer: JsonObject): string[] {
  return driverOf(kind).readResult?.(answer) ?? resultUrls(answer, kindSpecs[kind].medium, anyPlaces);
}
