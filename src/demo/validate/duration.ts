import { z } from 'zod';
import type { DemoModel } from '../models.ts';
import { invalid } from './parse-fields.ts';

export const durationField = z.union([z.number().int(), z.string()], {
  error: 'it must be an integer number of seconds, as a number or as text',
});

const AUTOMATIC = -1;
const AUTOMATIC_SECONDS = 5;
const DEFAULT_SECONDS = 5;

/** Whole seconds of a video within the model's limits (reference: Limits). */
export function requireSeconds(
  fields: { duration?: number | string | undefined; frames?: number | undefined },
  model: DemoModel,
): number {
  if (fields.duration !== undefined && fields.frames !== undefined) {
    throw invalid('duration_with_frames', 'Send "duration" or "frames", not both.');
  }
  const { min, max } = model.seconds ?? { min: 1, max: 60 };
  if (fields.duration === undefined) return Math.min(Math.max(DEFAULT_SECONDS, min), max);
  const seconds = wholeSeconds(fields.duration);
  const fixedLength = min === max;
  if (seconds === AUTOMATIC && !fixedLength) return AUTOMATIC_SECONDS;
  if (seconds < min || seconds > max) {
    const range = fixedLength ? `${String(min)} seconds only` : `${String(min)} to ${String(max)} seconds`;
    throw invalid(
      'invalid_duration',
      `The duration ${String(seconds)} is outside the limits of ${model.id}: ${range}.`,
    );
  }
  return seconds;
}

function wholeSeconds(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  if (/^-?\d+$/.test(duration)) return Number(duration);
  throw invalid('invalid_duration', `The duration "${duration}" is not a whole number of seconds.`);
}
