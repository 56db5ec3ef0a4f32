import { jsonObject } from '../call.ts';
import type { MediaKind } from '../models.ts';
import { requireTask, taskAnswer, type GenericTask } from './create-task.ts';
import { requireModel } from './fields.ts';
import { music } from './music.ts';
import { presenter } from './presenters.ts';
import type { Route } from './route.ts';

/** Generic tasks, by the medium of their model. */
const GENERIC: Partial<Record<MediaKind, GenericTask>> = { music, presenter };
const KINDS = Object.keys(GENERIC) as MediaKind[];

/** Generic tasks. Videos can be asked for here too. */
export const taskRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/tasks',
    answer: (call, parts) => {
      const body = jsonObject(call);
      const model = requireModel(body.model, ...KINDS);
      return (GENERIC[model.kind] ?? music).order(call, parts, { body, model });
    },
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id',
    answer: (_call, parts, { id = '' }) => {
      const task = requireTask(parts, id, ['tasks', 'videos']);
      return (GENERIC[task.kind]?.view ?? taskAnswer)(task, parts);
    },
  },
];
