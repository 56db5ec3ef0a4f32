import { z } from 'zod';
import { type Answer, invalid, jsonAnswer, Refusal, type Call, jsonObject, multipartForm } from '../call.ts';
import { describedPicture } from '../media/words.ts';
import type { DemoModel } from '../models.ts';
import { mediaRequest } from '../task-store.ts';
import {
  resultUrls,
  commitTask,
  commitTool,
  finish,
  outputFiles,
  requireTask,
  taskAnswer,
  type TaskOrder,
} from './tasks.ts';
import { imageReference, mediaUrl, requireUsableReferences } from './references.ts';
import {
  anyFields,
  fieldsFor,
  filledText,
  get,
  orderFor,
  parseFields,
  type Pixels,
  post,
  ratioPixels,
  ratioText,
  requireModel,
  type Route,
} from './request.ts';
import { chatMessages, picturesIn, toWords } from './text.ts';

interface ImageOrder extends TaskOrder {
  responseFormat?: 'url' | 'b64_json' | undefined;
}

export const imageRoutes: Route[] = [
  post('/v1/images/generations', (call) => answerWhenDone(call, readGeneration(call, generationFields))),
  post('/v1/images/edits', (call) => answerWhenDone(call, readForm(call, editFields))),
  post('/v1/images/variations', (call) => answerWhenDone(call, readForm(call, variationFields))),
  post('/v1/images/generations/async', (call) => {
    const body = jsonObject(call);
    requireAsyncAccess(call, body.model);
    return answerAtOnce(call, 'input' in body ? readMessages(call) : readGeneration(call, asyncGenerationFields));
  }),
  post('/v1/images/edits/async', (call) => {
    requireAsyncAccess(call, multipartForm(call).fields.model);
    return answerAtOnce(call, readForm(call, editFields));
  }),
  get('/v1/images/tasks/:id', (call, id = '') => taskAnswer(requireTask(call, id, 'images'), call)),
];

const answerAtOnce = (call: Call, order: ImageOrder): Answer => taskAnswer(commitTask(call, 'images', order), call);

/**
 * The synchronous entries: billed when accepted, answered when done. The reference does not show the body;
 * this is the one OpenAI-style clients expect: `created`, and `data` with `url` or `b64_json`.
 */
async function answerWhenDone(call: Call, order: ImageOrder): Promise<Answer> {
  const task = commitTask(call, 'images', order);
  await finish(task, call);
  const urls = resultUrls(task, call.parts);
  const created = Math.floor(call.parts.clock.now() / 1000);
  const data =
    order.responseFormat === 'b64_json'
      ? (await outputFiles(task, call)).map(({ bytes }) => ({ b64_json: bytes.toString('base64') }))
      : urls.map((url) => ({ url }));
  return jsonAnswer({ created, data });
}

/** Some key groups and families have no asynchronous image access (reference: What the service does). */
function requireAsyncAccess({ parts: { asyncImages } }: Call, model: unknown): void {
  if (typeof asyncImages === 'boolean' ? asyncImages : !asyncImages.without.includes(String(model))) return;
  throw new Refusal(
    403,
    'async_images_not_allowed',
    'The group of this API key has no access to asynchronous images. Use the synchronous entry.',
    { type: 'permission_error' },
  );
}

const size = z.string().regex(/^\d+x\d+$/, 'it must be of the form 1024x1024');
/** The limit of 4 is one of edits and variations (reference: Limits); this is as far as the demo's own models go. */
const count = z.number().int().min(1, 'it must be at least 1').max(16, 'it must be 16 at most');

/** Body of POST /v1/images/generations (reference: Images). */
const generationFields = z.object({
  model: z.string(),
  prompt: filledText.optional(),
  size: size.optional(),
  aspect_ratio: ratioText.optional(),
  n: count.optional(),
  response_format: z.enum(['url', 'b64_json']).optional(),
});
const asyncGenerationFields = generationFields.extend({ resolution: z.string().optional() });

function readGeneration(call: Call, schema: typeof generationFields): ImageOrder {
  const { model, fields } = orderFor(call, ['image'], schema);
  const { prompt = '', n: outputs = 1, size: asked, aspect_ratio: ratio, response_format: responseFormat } = fields;
  return { model, wanted: mediaRequest({ prompt, outputs, ...pixelsFor(model, asked, ratio) }), responseFormat };
}

/** The family that uses `input.messages` and `parameters.size` (reference: Images). */
const messagesFields = z.object({
  model: z.string(),
  input: z.object({ messages: chatMessages }),
  parameters: z.object({ size: size.optional() }).optional(),
});

function readMessages(call: Call): ImageOrder {
  const { model, fields } = orderFor(call, ['image'], messagesFields);
  const { messages } = fields.input;
  const { prompt } = toWords(messages);
  if (prompt === '') throw invalid('missing_prompt', 'No message of the user has a text.');
  requireUsableReferences(picturesIn('input.messages', messages), model, call);
  return { model, wanted: mediaRequest({ prompt, ...pixelsFor(model, fields.parameters?.size) }) };
}

/** Text fields of the forms; numbers arrive as text. An edit needs a prompt and may have a mask; a variation has neither. */
const variationFields = z.object({
  model: z.string(),
  n: z
    .string()
    .regex(/^[1-4]$/, 'it must be 1 to 4')
    .transform(Number)
    .default(1),
  size: size.optional(),
});
const editFields = variationFields.extend({ prompt: filledText });

function readForm(call: Call, schema: typeof variationFields | typeof editFields): ImageOrder {
  const form = multipartForm(call);
  const model = requireModel(form.fields.model, 'image');
  const allowed = schema === editFields ? ['image', 'mask'] : ['image'];
  const image = form.files.find((file) => file.field === 'image');
  if (image === undefined) throw invalid('missing_image', 'The form needs a file in the field "image".');
  if (image.bytes === 0) throw invalid('invalid_image', 'The file in the field "image" is empty.');
  const stray = form.files.find((file) => !allowed.includes(file.field));
  if (stray !== undefined) {
    throw invalid('unknown_field', `The file field "${stray.field}" is not one this route takes.`);
  }
  const { n: outputs, size: asked, ...more } = parseFields(schema, form.fields, call.parts);
  const prompt = 'prompt' in more ? more.prompt : `Variation of ${image.fileName}`;
  return { model, wanted: mediaRequest({ prompt, outputs, ...pixelsFor(model, asked) }) };
}

const SMALLEST_SIDE = 64;
const MAX_SIDE = 4096;

function pixelsFor(model: DemoModel, asked: string | undefined, ratio = '1:1'): Pixels {
  if (asked === undefined) return ratioPixels(ratio);
  const [width = 0, height = 0] = asked.split('x').map(Number);
  const multiple = model.sideMultiple ?? 1;
  for (const side of [width, height]) {
    if (side < SMALLEST_SIDE || side > MAX_SIDE) {
      const range = `${String(SMALLEST_SIDE)} to ${String(MAX_SIDE)}`;
      throw invalid('invalid_size', `The size ${asked} has a side outside ${range} pixels.`);
    }
    if (side % multiple !== 0) {
      throw invalid('invalid_size', `The sides of ${asked} must be multiples of ${String(multiple)} for ${model.id}.`);
    }
  }
  return { width, height };
}

/** The family names no model, so it is none of those that are listed. */
const typography: DemoModel = { id: 'typo', kind: 'image', ownedBy: 'demo' };

/** Fields that are named (reference: "Typography family"). Any other is accepted. */
const pictureFields = z.object({ image: mediaUrl.optional(), image_url: mediaUrl.optional() });
const typographyFields = z.object({
  prompt: filledText,
  aspect_ratio: ratioText.default('1:1'),
  rendering_speed: filledText.optional(),
  style_type: filledText.optional(),
});

/** The bodies of the answers are not shown: they are those of the other synchronous entries. */
export const typographyRoutes: Route[] = [
  post('/typo/generate', (call) => answerWhenDone(call, readWords(call))),
  post('/typo/remix', (call) => {
    requirePicture(call);
    return answerWhenDone(call, readWords(call));
  }),
  post('/typo/upscale', (call) => {
    const wanted = mediaRequest({ prompt: `Upscale of ${requirePicture(call)}`, ...ratioPixels('1:1', 2048) });
    return answerWhenDone(call, { model: typography, wanted });
  }),
  post('/typo/describe', (call) => {
    const text = describedPicture(requirePicture(call));
    commitTool(call);
    return jsonAnswer({ descriptions: [{ text }] });
  }),
];

function readWords(call: Call): ImageOrder {
  const { prompt, aspect_ratio: ratio } = fieldsFor(call, typographyFields, anyFields);
  return { model: typography, wanted: mediaRequest({ prompt, ...ratioPixels(ratio) }) };
}

function requirePicture(call: Call): string {
  const { image, image_url: url } = fieldsFor(call, pictureFields, anyFields);
  const given = image ?? url;
  if (given === undefined || (image !== undefined && url !== undefined)) {
    throw invalid('invalid_image', 'Name the picture by "image" or by "image_url", one of them.');
  }
  requireUsableReferences([imageReference(image === undefined ? 'image_url' : 'image', given)], typography, call);
  return given;
}
