import { jsonObject } from '../call.ts';
import { readCompatibleOrder } from '../validate/compatible-video.ts';
import { readVideoOrder } from '../validate/video.ts';
import type { VideoOrder } from '../validate/video.ts';
import { commitTask, requireTask, taskAnswer } from './create-task.ts';
import type { TaskOrder } from './create-task.ts';
import type { Route } from './route.ts';

export const videoRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/videos',
    answer: (call, parts) => {
      const order = readVideoOrder(jsonObject(call), parts.assets, parts);
      return taskAnswer(commitTask(call, parts, 'videos', taskOrder(order)), parts);
    },
  },
  {
    method: 'POST',
    path: '/api/v3/contents/generations/tasks',
    answer: (call, parts) => {
      const order = readCompatibleOrder(jsonObject(call), parts.assets, parts);
      return taskAnswer(commitTask(call, parts, 'videos', taskOrder(order)), parts);
    },
  },
  {
    method: 'GET',
    path: '/v1/videos/:id',
    answer: (_call, parts, { id = '' }) => taskAnswer(requireTask(parts, id, ['videos']), parts),
  },
];

function taskOrder({ model, wanted, references }: VideoOrder): TaskOrder {
  return { model, wanted, references: references.map(({ alias, role, type }) => ({ alias, role, type })) };
}
