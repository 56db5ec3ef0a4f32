import { once } from 'node:events';
import { jsonAnswer, Refusal, textAnswer } from '../answer.ts';
import type { Answer } from '../answer.ts';
import { jsonObject, multipartForm } from '../call.ts';
import type { Call } from '../call.ts';
import type { AnswerShape } from '../fault-rules.ts';
import type { ServiceParts } from '../service-parts.ts';
import type { TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { readForm, readGeneration } from '../validate/image.ts';
import type { ImageOrder } from '../validate/image.ts';
import { commitTask, requireTask, taskAnswer } from './create-task.ts';
import type { Route } from './route.ts';

export const imageRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/images/generations',
    answer: (call, parts) =>
      answerWhenDone(call, parts, readGeneration(jsonObject(call), { ...parts, asynchronous: false })),
  },
  {
    method: 'POST',
    path: '/v1/images/edits',
    answer: (call, parts) => answerWhenDone(call, parts, readForm(multipartForm(call), 'edit', parts)),
  },
  {
    method: 'POST',
    path: '/v1/images/variations',
    answer: (call, parts) => answerWhenDone(call, parts, readForm(multipartForm(call), 'variation', parts)),
  },
  {
    method: 'POST',
    path: '/v1/images/generations/async',
    answer: (call, parts) => {
      const body = jsonObject(call);
      requireAsyncAccess(parts, body.model);
      return answerAtOnce(call, parts, readGeneration(body, { ...parts, asynchronous: true }));
    },
  },
  {
    method: 'POST',
    path: '/v1/images/edits/async',
    answer: (call, parts) => {
      const form = multipartForm(call);
      requireAsyncAccess(parts, form.fields.model);
      return answerAtOnce(call, parts, readForm(form, 'edit', parts));
    },
  },
  {
    method: 'GET',
    path: '/v1/images/tasks/:id',
    answer: (_call, parts, { id = '' }) => taskAnswer(requireTask(parts, id, ['images']), parts),
  },
];

function answerAtOnce(call: Call, parts: ServiceParts, order: ImageOrder): Answer {
  return taskAnswer(commitTask(call, parts, 'images', order), parts);
}

/**
 * The synchronous entries: billed when accepted, answered when done. The reference does not show the body;
 * this is the one OpenAI-style clients expect: `created`, and `data` with `url` or `b64_json`.
 */
async function answerWhenDone(call: Call, parts: ServiceParts, order: ImageOrder): Promise<Answer> {
  const task = commitTask(call, parts, 'images', order);
  await parts.clock.sleep(task.takesMs, { signal: call.signal });
  if (task.end === 'never') await once(call.signal, 'abort');
  if (task.end !== 'succeeded') {
    const message = task.error?.message ?? 'The picture was not made.';
    throw new Refusal({ status: 400, code: task.error?.code ?? 'generation_cancelled', message });
  }
  if (call.fault?.fault === 'answer-shape') return shapedAnswer(call.fault.shape, task, parts);
  const created = Math.floor(parts.clock.now() / 1000);
  if (order.responseFormat === 'url') {
    return jsonAnswer({ created, data: resultUrls(task, parts.addresses).map((url) => ({ url })) });
  }
  const places = Array.from({ length: order.wanted.outputs }, (_, index) => index);
  const files = await Promise.all(places.map((index) => parts.media.file(task, index)));
  return jsonAnswer({ created, data: files.map((file) => ({ b64_json: file.bytes.toString('base64') })) });
}

async function shapedAnswer(shape: AnswerShape, task: TaskRecord, parts: ServiceParts): Promise<Answer> {
  const urls = resultUrls(task, parts.addresses);
  const [url = ''] = urls;
  const files = await Promise.all(urls.map((_url, index) => parts.media.file(task, index)));
  const texts = files.map((file) => file.bytes.toString('base64'));
  switch (shape) {
    case 'bytes':
      return { status: 200, headers: { 'content-type': 'image/png' }, body: files[0]?.bytes ?? Buffer.alloc(0) };
    case 'text-address':
      return textAnswer(`${url}\n`, 'text/plain; charset=utf-8');
    case 'data-urls':
      return jsonAnswer({ data: texts.map((text) => ({ url: `data:image/png;base64,${text}` })) });
    case 'images':
      return jsonAnswer({ images: urls.map((address) => ({ url: address })) });
    case 'base64-images':
      return jsonAnswer({ images: texts, parameters: {} });
    case 'array':
      return jsonAnswer(urls);
    case 'image_url':
      return jsonAnswer({ image_url: url });
    case 'nested':
      return jsonAnswer({
        code: 'success',
        result: { images: urls.map((address) => ({ image_url: { url: address } })) },
      });
    case 'unknown':
      return jsonAnswer({ outcome: { files: urls.map((href) => ({ href })) } });
  }
}

/** Asynchronous image access is not guaranteed for every key group and family (reference: What the service does). */
function requireAsyncAccess({ asyncImages }: ServiceParts, model: unknown): void {
  if (typeof asyncImages === 'boolean' ? asyncImages : !asyncImages.without.includes(String(model))) return;
  throw new Refusal({
    status: 403,
    code: 'async_images_not_allowed',
    type: 'permission_error',
    message: 'The group of this API key has no access to asynchronous images. Use the synchronous entry.',
  });
}
