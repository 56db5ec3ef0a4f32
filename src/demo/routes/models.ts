import { jsonAnswer } from '../answer.ts';
import { DEMO_MODELS } from '../models.ts';
import type { Route } from './route.ts';

/** The reference does not show the wrapper of the list; this is the one OpenAI-style clients expect. */
export const modelRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/models',
    answer: () =>
      jsonAnswer({
        object: 'list',
        data: DEMO_MODELS.map(({ id, ownedBy }) => ({ id, object: 'model', owned_by: ownedBy })),
      }),
  },
];
