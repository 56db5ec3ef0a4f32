import type * as z from 'zod';
import type { Settings } from '../../src/contract/settings.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import type { DemoService, Fault } from './demo/service.ts';
import { mediaRequest } from '../../src/demo/task-store.ts';
import { shot } from '../engine/db/seed.ts';

/** A billable request of the service, and a shot that makes it. A new entry of the service is a line in `billablePosts`. */
export interface BillablePost {
  readonly name: string;
  readonly shot: ShotSpec;
  /** What its answer brings. */
  readonly answers: 'task' | 'result';
  readonly settings?: z.input<typeof Settings>;
  /** The service lists what it made under the id of the attempt, so that a lost submit is settled when it was accepted. */
  readonly isListed?: true;
  /** What the service has made before. */
  readonly before?: (service: DemoService) => void;
}

/** The local file that edits and variations name. */
export const PICTURE_NAME = 'day.png';
export const aPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const image = (params: ShotSpec['params']) => shot(1, { kind: 'image', model: 'image-demo', params });
const typography = (params: ShotSpec['params']) => shot(1, { kind: 'image', model: 'typo', params });
const text = (route: string) => shot(1, { kind: 'text', model: 'chat-demo', params: { route } });
const synchronous = { assumed: { imageEntry: 'synchronous' } } as const;
const edit = { operation: 'edit', image: PICTURE_NAME };

/** One shot for each billable POST of the service. */
export const billablePosts: readonly BillablePost[] = [
  { name: 'a video', shot: shot(1), answers: 'task' },
  { name: 'a video by the compatible route', shot: shot(1), answers: 'task', settings: { videoRoute: 'compatible' } },
  { name: 'an image', shot: image({}), answers: 'task' },
  { name: 'an image while one waits', shot: image({}), answers: 'result', settings: synchronous },
  { name: 'an edit', shot: image(edit), answers: 'task' },
  { name: 'an edit while one waits', shot: image(edit), answers: 'result', settings: synchronous },
  { name: 'a variation', shot: image({ operation: 'variation', image: PICTURE_NAME }), answers: 'result' },
  { name: 'an image by generateContent', shot: image({ entry: 'content' }), answers: 'result' },
  { name: 'an image by messages', shot: image({ entry: 'messages' }), answers: 'task' },
  { name: 'typography', shot: typography({ operation: 'typo_generate' }), answers: 'result' },
  {
    name: 'a remix of typography',
    shot: typography({ operation: 'typo_remix', image: PICTURE_NAME }),
    answers: 'result',
  },
  {
    name: 'an upscale of typography',
    shot: typography({ operation: 'typo_upscale', image: 'https://media.example/day.png' }),
    answers: 'result',
  },
  { name: 'a job-style image', shot: image({ operation: 'imagine' }), answers: 'task', isListed: true },
  {
    name: 'a blend of job-style images',
    shot: image({ operation: 'blend', blend_images: [PICTURE_NAME, PICTURE_NAME] }),
    answers: 'task',
    isListed: true,
  },
  {
    name: 'a button of a job-style image',
    shot: image({ operation: 'action', action_task: 'task_before', button: 'job::reroll::task_before' }),
    answers: 'task',
    isListed: true,
    before: ({ tasks }) =>
      tasks.set('task_before', {
        ...{ id: 'task_before', kind: 'image', resource: 'jobs', model: 'image-demo', createdAt: 0, takesMs: 0 },
        ...{ wanted: mediaRequest({ prompt: 'A harbour', width: 16, height: 16 }), references: [], end: 'succeeded' },
        ...{ error: null, traceId: 'trace_before' },
      }),
  },
  { name: 'music', shot: shot(1, { kind: 'music', model: 'music-demo', params: {} }), answers: 'task' },
  {
    name: 'lyrics',
    shot: shot(1, { kind: 'music', model: 'lyrics-demo', params: { operation: 'lyrics' } }),
    answers: 'task',
  },
  { name: 'a text by chat', shot: text('chat'), answers: 'result' },
  { name: 'a text by generateContent', shot: text('generate_content'), answers: 'result' },
  { name: 'a text by responses', shot: text('responses'), answers: 'result' },
  { name: 'a text by messages', shot: text('messages'), answers: 'result' },
  {
    name: 'speech',
    shot: shot(1, { kind: 'speech', model: 'speech-demo', params: { voice: 'alto' } }),
    answers: 'result',
  },
  {
    name: 'a presenter',
    shot: shot(1, {
      kind: 'presenter',
      model: 'presenter-demo',
      prompt: '',
      params: { avatar: PICTURE_NAME, audio: 'https://media.example/line.mp3' },
    }),
    answers: 'task',
  },
  {
    name: 'a voice',
    shot: shot(1, {
      kind: 'presenter',
      model: 'presenter-voice-demo',
      prompt: '',
      params: { operation: 'voice' },
    }),
    answers: 'task',
  },
];

export interface BadAnswer {
  readonly what: string;
  readonly fault: Fault;
  /** What the service knows and we cannot. */
  readonly charged: number;
  /** The text for the person, where a task was expected. */
  readonly says: RegExp;
}

/** What can become of a POST after its first byte left. */
export const badAnswers: readonly BadAnswer[] = [
  { what: 'is reset before the task was made', fault: { fault: 'reset' }, charged: 0, says: /connection broke/ },
  { what: 'is reset after the task was made', fault: { fault: 'reset', commit: true }, charged: 1, says: /broke/ },
  { what: 'gets no answer at all', fault: { fault: 'hang', commit: true }, charged: 1, says: /within 60 s/ },
  { what: 'gets a 502 before the task was made', fault: { fault: 'status', status: 502 }, charged: 0, says: /502/ },
  {
    what: 'gets a 502 after the task was made',
    fault: { fault: 'status', status: 502, commit: true },
    charged: 1,
    says: /502/,
  },
  { what: 'is answered without an id', fault: { fault: 'no-id' }, charged: 1, says: /without a task ID/ },
  { what: 'is cut inside the answer', fault: { fault: 'cut' }, charged: 1, says: /The answer began: \{"id":"task_/ },
  { what: 'gets a web page', fault: { fault: 'html', commit: true }, charged: 1, says: /without a task ID/ },
  { what: 'gets a web page with status 500', fault: { fault: 'html', status: 500 }, charged: 0, says: /web page/ },
  { what: 'gets an empty answer', fault: { fault: 'empty', commit: true }, charged: 1, says: /returned 200/ },
  { what: 'gets text', fault: { fault: 'not-json' }, charged: 1, says: /without a task ID/ },
  { what: 'is redirected', fault: { fault: 'redirect', to: 'same' }, charged: 0, says: /302/ },
];

/** The same for an answer that is the result: it has no id that could be missing, but may hold nothing that can be read. */
export const badAnswersOf = ({ answers }: BillablePost): readonly BadAnswer[] =>
  answers === 'task'
    ? badAnswers
    : badAnswers.map((each) =>
        each.fault.fault === 'no-id'
          ? { ...each, what: 'is answered without a result', fault: { ...emptyObject, commit: true } }
          : each,
      );

const emptyObject = { fault: 'status', status: 200, body: {} } as const;
