import { jsonObject } from '../call.ts';
import { readMusicOrder } from '../validate/music.ts';
import { commitTask, requireTask, taskAnswer } from './create-task.ts';
import type { Route } from './route.ts';

/** Generic tasks: music is made here, and videos can be asked for here too. */
export const taskRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/tasks',
    answer: (call, parts) => taskAnswer(commitTask(call, parts, 'tasks', readMusicOrder(jsonObject(call))), parts),
  },
  {
    method: 'GET',
    path: '/v1/tasks/:id',
    answer: (_call, parts, { id = '' }) => taskAnswer(requireTask(parts, id, ['tasks', 'videos']), parts),
  },
];
