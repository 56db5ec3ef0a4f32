import { z } from 'zod';
import { type Answer, invalid, Refusal, type Call, jsonObject } from '../call.ts';
import { DEMO_MODELS, EMBEDDING_MODELS, findModel, type DemoModel, type MediaKind } from '../models.ts';

export interface Route {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments; one that starts with a colon takes any value. */
  path: string;
  /** Signed media addresses and the control routes need no key. */
  open?: boolean;
  /** `values`: those of the segments with a colon, in order. */
  answer(call: Call, ...values: string[]): Answer | Promise<Answer>;
}

export const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer });
export const post = (path: string, answer: Route['answer']): Route => ({ method: 'POST', path, answer });

/** The values of the colon segments, or null when the path is another one. */
export function matchPath(pattern: string, path: string): string[] | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const fits = wanted.every((segment, place) => (segment.startsWith(':') ? given[place] : segment === given[place]));
  if (wanted.length !== given.length || !fits) return null;
  return given.filter((_, place) => wanted[place]?.startsWith(':'));
}

export const filledText = z.string().min(1, 'it must not be empty');
export const ratioText = z.string().regex(/^\d+:\d+$/, 'it must be of the form 16:9');

export interface ParseOptions {
  /** Fields the reference does not name are refused; those that start with `x_` never are. */
  rejectUnknownFields: boolean;
}

export const anyFields: ParseOptions = { rejectUnknownFields: false };

export const fieldsFor = <S extends z.ZodObject>(call: Call, schema: S, options: ParseOptions = call.parts) =>
  parseFields(schema, jsonObject(call), options);

export function orderFor<S extends z.ZodObject>(call: Call, kinds: MediaKind[], schema: S, options?: ParseOptions) {
  const model = requireModel(jsonObject(call).model, ...kinds);
  return { model, fields: fieldsFor(call, schema, options) };
}

/** Reads the fields of a request by its schema, or refuses the request with the first thing that is wrong. */
export function parseFields<S extends z.ZodObject>(
  schema: S,
  fields: Record<string, unknown>,
  options: ParseOptions,
): z.infer<S> {
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith('x_')));
  const stray = Object.keys(known).find((name) => !(name in schema.shape));
  if (options.rejectUnknownFields && stray !== undefined) {
    throw invalid('unknown_field', `The field "${stray}" is not one this route takes.`);
  }
  const result = schema.safeParse(known, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = z.core.toDotPath(issue?.path ?? []);
  if (issue?.input === undefined) throw invalid('missing_field', `The field "${field}" is required.`);
  throw invalid('invalid_field', `The field "${field}" is wrong: ${issue.message}.`);
}

export function requireModel(id: unknown, ...kinds: MediaKind[]): DemoModel {
  if (id === undefined || id === '') throw invalid('missing_model', 'The field "model" is required.');
  if (typeof id !== 'string') throw invalid('invalid_field', 'The field "model" must be a string.');
  const model = findModel(id);
  if (model === undefined || !kinds.includes(model.kind)) throw modelMissing(id, kinds.join(' or '));
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
export function ratioPixels(ratio: string, longSide = 1024, multiple = 16): Pixels {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  if (across === 0 || down === 0) throw invalid('invalid_field', `The aspect ratio ${ratio} has no area.`);
  const share = Math.min(Math.max(across / down, 0.25), 4);
  const whole = (pixels: number): number => Math.round(pixels / multiple) * multiple;
  return share >= 1
    ? { width: longSide, height: whole(longSide / share) }
    : { width: whole(longSide * share), height: longSide };
}
