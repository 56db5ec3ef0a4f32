import type { z } from 'zod';
import { invalid, Refusal } from '../answer.ts';
import { DEMO_MODELS, EMBEDDING_MODELS, findModel, type DemoModel, type MediaKind } from '../models.ts';

export interface ParseOptions {
  /** Fields the reference does not name are refused; those that start with `x_` never are. */
  rejectUnknownFields: boolean;
}

/** Reads the fields of a request by its schema, or refuses the request with the first thing that is wrong. */
export function parseFields<S extends z.ZodObject>(
  schema: S,
  fields: Record<string, unknown>,
  options: ParseOptions,
): z.infer<S> {
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('x_')));
  const unknown = Object.keys(known).filter((name) => !(name in schema.shape));
  const [stray] = unknown;
  if (options.rejectUnknownFields && stray !== undefined) {
    throw invalid('unknown_field', `The field "${stray}" is not one this route takes.`);
  }
  const result = schema.safeParse(known);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path ?? [];
  const where = path.map((step) => (typeof step === 'number' ? `[${String(step)}]` : `.${String(step)}`)).join('');
  const field = where.replace(/^\./, '');
  if (valueAt(known, path) === undefined) throw invalid('missing_field', `The field "${field}" is required.`);
  throw invalid('invalid_field', `The field "${field}" is wrong: ${issue?.message ?? 'not of the expected type'}.`);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[step];
  }
  return current;
}

export function requireModel(id: unknown, ...kinds: MediaKind[]): DemoModel {
  if (id === undefined || id === '') throw invalid('missing_model', 'The field "model" is required.');
  if (typeof id !== 'string') throw invalid('invalid_field', 'The field "model" must be a string.');
  const model = findModel(id);
  if (model === undefined) throw modelMissing(id, kinds.join(' or '));
  if (!kinds.includes(model.kind)) throw modelMissing(id, kinds.join(' or '));
  return model;
}

/** Why a model cannot be used on a route: there is none of that id, or it makes something else than the route does. */
export function modelMissing(id: string, made: string): Refusal {
  const makes = [...DEMO_MODELS, ...EMBEDDING_MODELS].find((model) => model.id === id)?.kind;
  if (makes !== undefined) {
    return invalid('model_not_supported', `The model "${id}" makes ${makes}; this route makes ${made}.`);
  }
  return new Refusal(
    404,
    'model_not_found',
    `The model "${id}" does not exist or your account may not use it. GET /v1/models lists those it may.`,
  );
}

export interface Pixels {
  width: number;
  height: number;
}

/** The size of a picture of a ratio such as 16:9, which is at most 4:1 either way. */
export function ratioPixels(ratio: string, { longSide, multiple }: { longSide: number; multiple: number }): Pixels {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  if (across === 0 || down === 0) throw invalid('invalid_field', `The aspect ratio ${ratio} has no area.`);
  const share = Math.min(Math.max(across / down, 0.25), 4);
  const whole = (pixels: number): number => Math.round(pixels / multiple) * multiple;
  return share >= 1
    ? { width: longSide, height: whole(longSide / share) }
    : { width: whole(longSide * share), height: longSide };
}
