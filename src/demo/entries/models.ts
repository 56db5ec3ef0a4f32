import { jsonAnswer } from '../answer.ts';
import { DEMO_MODELS, EMBEDDING_MODELS, type DemoModel } from '../models.ts';
import type { ModelList } from '../service-parts.ts';
import type { Route } from './route.ts';

/**
 * The reference shows neither the wrapper of the list nor how a model's capabilities are listed. The wrapper is the one
 * OpenAI-style clients expect; for capabilities the demo has two shapes.
 */
export const modelRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/models',
    answer: (_call, { modelList }) =>
      jsonAnswer({
        object: 'list',
        data: [...DEMO_MODELS, ...EMBEDDING_MODELS].map((model) => record(model, modelList)),
      }),
  },
];

function record(model: Omit<DemoModel, 'kind'> & { kind: string }, list: ModelList) {
  const { id, ownedBy, kind, seconds, sizes, operations, formats } = model;
  const ids = { id, object: 'model', owned_by: ownedBy };
  switch (list) {
    case 'ids':
      return ids;
    case 'flat':
      return {
        ...ids,
        supported_endpoint_types: [kind === 'image' ? 'image-generation' : kind],
        ...(sizes && { supported_resolutions: sizes }),
        ...(seconds && { durations: wholeSeconds(seconds) }),
        ...(operations && { operations: ['generate', ...operations] }),
        ...(formats && { response_formats: formats }),
      };
    case 'nested':
      return {
        ...ids,
        capabilities: {
          ...(sizes && { resolution: { values: sizes } }),
          ...(seconds && { duration: seconds }),
          ...(operations && { edit: operations.includes('edit'), variation: operations.includes('variation') }),
          ...(formats && { response_format: { values: formats } }),
        },
      };
  }
}

function wholeSeconds({ min, max }: { min: number; max: number }): number[] {
  return Array.from({ length: max - min + 1 }, (_, place) => min + place);
}
