import { Refusal } from '../answer.ts';
import { findModel } from '../models.ts';
import type { DemoModel, MediaKind } from '../models.ts';
import { invalid } from './parse-fields.ts';

/** The model a request names, which must exist and make what the route is for. */
export function requireModel(id: unknown, kind: MediaKind): DemoModel {
  if (id === undefined || id === '') throw invalid('missing_model', 'The field "model" is required.');
  if (typeof id !== 'string') throw invalid('invalid_field', 'The field "model" must be a string.');
  const model = findModel(id);
  if (model === undefined) {
    throw new Refusal({
      status: 404,
      code: 'model_not_found',
      message: `The model "${id}" does not exist or your account may not use it. GET /v1/models lists those it may.`,
    });
  }
  if (model.kind !== kind) {
    throw invalid('model_not_supported', `The model "${id}" makes ${model.kind}; this route makes ${kind}.`);
  }
  return model;
}
