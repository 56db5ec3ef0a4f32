import type { z } from 'zod';
import { Refusal } from '../answer.ts';

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

export function invalid(code: string, message: string): Refusal {
  return new Refusal({ status: 400, code, message });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<PropertyKey, unknown>)[step];
  }
  return current;
}
