import { get, post, type Route } from './route.ts';
import { assetGroupRoutes } from './asset-groups.ts';
import { assetRoutes } from './assets.ts';
import { compatibleVideoRoute } from './compatible-videos.ts';
import { generateContentRoute } from './generate-content.ts';
import { imageRoutes, typographyRoutes } from './images.ts';
import { jobStyleRoutes } from './job-style.ts';
import { musicRoutes, music } from './music.ts';
import { resultRoutes } from './results.ts';
import { textRoutes } from './text.ts';
import { videoRoutes } from './videos.ts';
import { webRoutes } from './web.ts';
import { jsonAnswer, invalid } from '../answer.ts';
import { DEMO_MODELS, EMBEDDING_MODELS, type DemoModel, type MediaKind } from '../models.ts';
import type { ModelList } from '../service-parts.ts';
import { jsonObject } from '../call.ts';
import {
  requireTask,
  taskAnswer,
  type GenericTask,
  commitTool,
  commitTask,
  finished,
  outputFiles,
} from './create-task.ts';
import { requireModel, modelMissing, parseFields } from './fields.ts';
import { presenter } from './presenters.ts';
import { z } from 'zod';
import { embeddingOf } from '../embedding.ts';
import { SPEECH_FORMATS, voice as speaker } from '../media/sound.ts';
import { mediaRequest } from '../task-store.ts';

/** Fields of speech (reference: "Speech, embeddings, web and music request shapes"). */
const speechFields = z.object({
  model: z.string(),
  input: z.string().min(1, 'it must not be empty'),
  voice: z.string().min(1, 'it must not be empty'),
  response_format: z.enum(SPEECH_FORMATS).default('mp3'),
  speed: z.number().min(0.25, 'it must be at least 0.25').max(4, 'it must be 4 at most').default(1),
});

/** The path is assumed: the reference does not show it. Answered with the sound itself. */
const speechRoute = post('/v1/audio/speech', async (call, parts) => {
  const body = jsonObject(call);
  const model = requireModel(body.model, 'speech');
  const { input, voice, response_format: format, speed } = parseFields(speechFields, body, parts);
  const wanted = mediaRequest({ prompt: input, style: voice, audio: true, format, speed });
  const task = commitTask(call, parts, 'tasks', { model, wanted });
  await finished(task, call, parts);
  const [file] = await outputFiles(task, parts);
  const { contentType } = speaker.format(wanted);
  return { status: 200, headers: { 'content-type': contentType }, body: file?.bytes ?? Buffer.alloc(0) };
});

const text = z.string().min(1, 'it must not be empty');
/** Reference, Embeddings: `model` and `input`. The others are fields that client libraries send by themselves. */
const fields = z.object({
  model: z.string(),
  input: z.union([text, z.array(text).min(1, 'it must hold a text').max(2048, 'it must hold 2048 texts at most')]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.number().int().min(1).max(1024).optional(),
});

const USUAL_DIMENSIONS = 256;

/** The path is not shown by the reference: it is the usual one. */
const embeddingRoute = post('/v1/embeddings', (call, parts) => {
  const body = jsonObject(call);
  const { model, input, encoding_format: encoding, dimensions = USUAL_DIMENSIONS } = parseFields(fields, body, parts);
  if (!EMBEDDING_MODELS.some(({ id }) => id === model)) throw modelMissing(model, 'embeddings');
  const texts = typeof input === 'string' ? [input] : input;
  if (texts.some((each) => each.trim() === '')) throw invalid('invalid_field', 'A text of "input" is blank.');
  commitTool(call, parts);
  const tokens = texts.reduce((sum, each) => sum + (each.match(/\S+/g)?.length ?? 0), 0);
  const data = texts.map((each, index) => {
    const vector = embeddingOf(each, dimensions);
    return { object: 'embedding', index, embedding: encoding === 'base64' ? asBase64(vector) : [...vector] };
  });
  return jsonAnswer({ object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
});

/** Floats of four bytes, the lowest first. */
const asBase64 = (vector: Float32Array): string => Buffer.from(vector.buffer).toString('base64');

/** Generic tasks, by the medium of their model. */
const GENERIC: Partial<Record<MediaKind, GenericTask>> = { music, presenter };
const KINDS = Object.keys(GENERIC) as MediaKind[];

/** Generic tasks. Videos can be asked for here too. */
const taskRoutes: Route[] = [
  post('/v1/tasks', (call, parts) => {
    const body = jsonObject(call);
    const model = requireModel(body.model, ...KINDS);
    return (GENERIC[model.kind] ?? music).order(call, parts, { body, model });
  }),
  get('/v1/tasks/:id', (_call, parts, { id = '' }) => {
    const task = requireTask(parts, id, ['tasks', 'videos']);
    return (GENERIC[task.kind]?.view ?? taskAnswer)(task, parts);
  }),
];

/**
 * The reference shows neither the wrapper of the list nor how a model's capabilities are listed. The wrapper is the one
 * OpenAI-style clients expect; for capabilities the demo has two shapes.
 */
const modelRoute = get('/v1/models', (_call, { modelList }) =>
  jsonAnswer({
    object: 'list',
    data: [...DEMO_MODELS, ...EMBEDDING_MODELS].map((model) => record(model, modelList)),
  }),
);

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

/**
 * Every entry of the service. To add one:
 *
 * 1. Write a file here: the fields it takes (a zod schema, read by `parseFields`), what is wrong beyond their form, and
 *    its routes. A billable route calls `commitTask`, which lets faults shape the task, then answers with the task
 *    (`taskAnswer`) or with its files once it is done (`finished`). Add the routes to the list below.
 * 2. Add the models it takes to `../models.ts`.
 * 3. Only for a new kind of media: add its word to `MEDIA_KINDS`, and write a `Maker` in `../media` and into
 *    `../media/makers.ts`. Its usual time, formats and fault rules follow from these.
 *
 * What is ordered at POST /v1/tasks has no route of its own: write a `GenericTask` and add it to `GENERIC`.
 */
export const entries: readonly Route[] = [
  modelRoute,
  ...videoRoutes,
  compatibleVideoRoute,
  ...imageRoutes,
  ...typographyRoutes,
  ...jobStyleRoutes,
  ...textRoutes,
  generateContentRoute,
  embeddingRoute,
  ...webRoutes,
  speechRoute,
  ...taskRoutes,
  ...musicRoutes,
  ...assetRoutes,
  ...assetGroupRoutes,
  ...resultRoutes,
];
