import { z } from 'zod';
import { invalid, jsonAnswer, type Answer, type Call } from '../call.ts';
import { SPEECH_FORMATS, voice as speaker } from '../media/sound.ts';
import { DEMO_MODELS, EMBEDDING_MODELS, type DemoModel } from '../models.ts';
import type { ModelList } from '../service-parts.ts';
import { mediaRequest } from '../task-store.ts';
import { assetRoutes } from './assets.ts';
import { imageRoutes, typographyRoutes } from './images.ts';
import { jobStyleRoutes } from './job-style.ts';
import { genericRoutes } from './generic-tasks.ts';
import { fieldsFor, filledText, get, modelMissing, orderFor, post, type Route } from './request.ts';
import { resultRoutes } from './results.ts';
import { commitTask, commitTool, finishedFiles } from './tasks.ts';
import { textRoutes } from './text.ts';
import { videoRoutes } from './videos.ts';
import { embeddingFor, webRoutes } from './web.ts';

/**
 * Every entry of the service. For another one, write its fields and routes in a file here and name its models in
 * `../models.ts`. A billable route calls `commitTask`, which lets faults shape the task, then answers with the task or with
 * its files. A new kind of media also needs its word in `MEDIA_KINDS` and a `Maker` in `MAKERS`.
 */
export const entries: readonly Route[] = [
  get('/v1/models', ({ parts }) => {
    const data = [...DEMO_MODELS, ...EMBEDDING_MODELS].map((model) => modelRecord(model, parts.modelList));
    return jsonAnswer({ object: 'list', data });
  }),
  ...videoRoutes,
  ...imageRoutes,
  ...typographyRoutes,
  ...jobStyleRoutes,
  ...textRoutes,
  post('/v1/embeddings', answerEmbeddings),
  ...webRoutes,
  post('/v1/audio/speech', answerSpeech),
  ...genericRoutes,
  ...assetRoutes,
  ...resultRoutes,
];

/** Fields of speech (reference: "Speech, embeddings, web and music request shapes"). */
const speechFields = z.object({
  model: z.string(),
  input: filledText,
  voice: filledText,
  response_format: z.enum(SPEECH_FORMATS).default('mp3'),
  speed: z.number().min(0.25, 'it must be at least 0.25').max(4, 'it must be 4 at most').default(1),
});

/** The path is assumed: the reference does not show it. Answered with the sound itself. */
async function answerSpeech(call: Call): Promise<Answer> {
  const { model, fields } = orderFor(call, ['speech'], speechFields);
  const wanted = mediaRequest({ prompt: fields.input, style: fields.voice, format: fields.response_format });
  const task = commitTask(call, 'tasks', { model, wanted });
  const [file] = await finishedFiles(task, call);
  const { contentType } = speaker.format(wanted);
  return { status: 200, headers: { 'content-type': contentType }, body: file?.bytes ?? Buffer.alloc(0) };
}

/** Reference, Embeddings: `model` and `input`. The others are fields that client libraries send by themselves. */
const embeddingFields = z.object({
  model: z.string(),
  input: z.union([
    filledText,
    z.array(filledText).min(1, 'it must hold a text').max(2048, 'it must hold 2048 texts at most'),
  ]),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.number().int().min(1).max(1024).default(256),
});

function answerEmbeddings(call: Call): Answer {
  const { model, input, encoding_format: encoding, dimensions } = fieldsFor(call, embeddingFields);
  if (!EMBEDDING_MODELS.some(({ id }) => id === model)) throw modelMissing(model, 'embeddings');
  const texts = [input].flat();
  if (texts.some((each) => each.trim() === '')) throw invalid('invalid_field', 'A text of "input" is blank.');
  commitTool(call);
  const tokens = texts.reduce((sum, each) => sum + (each.match(/\S+/g)?.length ?? 0), 0);
  const data = texts.map((each, index) => {
    const vector = embeddingFor(each, dimensions);
    // Floats of four bytes, the lowest first.
    const embedding = encoding === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    return { object: 'embedding', index, embedding };
  });
  return jsonAnswer({ object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

/** The reference shows neither the wrapper of the list nor how a model's capabilities are listed: both are the demo's own. */
function modelRecord({ id, ownedBy, seconds, sizes, operations, formats }: Omit<DemoModel, 'kind'>, list: ModelList) {
  const ids = { id, object: 'model', owned_by: ownedBy };
  if (list === 'ids') return ids;
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
