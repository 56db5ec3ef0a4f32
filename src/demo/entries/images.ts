import { z } from 'zod';
import { type Answer, invalid, jsonAnswer, Refusal, textAnswer } from '../answer.ts';
import { type Call, type FormFile, jsonObject, multipartForm } from '../call.ts';
import type { AnswerShape } from '../fault-rules.ts';
import type { DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type MediaRequest, type TaskRecord } from '../task-store.ts';
import { resultUrls } from '../task-view.ts';
import { commitTask, commitTool, finished, outputFiles, requireTask, taskAnswer } from './create-task.ts';
import { parseFields, type ParseOptions, type Pixels, ratioPixels, requireModel } from './fields.ts';
import { imageReference, mediaUrl, requireUsableReferences } from './references.ts';
import { get, post, type Route } from './route.ts';
import { anyFields, chatMessages, picturesIn, wordsOf } from './text.ts';
import { describedPicture } from '../described-picture.ts';

export const imageRoutes: Route[] = [
  post('/v1/images/generations', (call, parts) =>
    answerWhenDone(call, parts, readGeneration(jsonObject(call), { ...parts, asynchronous: false })),
  ),
  post('/v1/images/edits', (call, parts) => answerWhenDone(call, parts, readForm(multipartForm(call), 'edit', parts))),
  post('/v1/images/variations', (call, parts) =>
    answerWhenDone(call, parts, readForm(multipartForm(call), 'variation', parts)),
  ),
  post('/v1/images/generations/async', (call, parts) => {
    const body = jsonObject(call);
    requireAsyncAccess(parts, body.model);
    const order = 'input' in body ? readMessages(body, parts) : readGeneration(body, { ...parts, asynchronous: true });
    return answerAtOnce(call, parts, order);
  }),
  post('/v1/images/edits/async', (call, parts) => {
    const form = multipartForm(call);
    requireAsyncAccess(parts, form.fields.model);
    return answerAtOnce(call, parts, readForm(form, 'edit', parts));
  }),
  get('/v1/images/tasks/:id', (_call, parts, { id = '' }) => taskAnswer(requireTask(parts, id, ['images']), parts)),
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
  await finished(task, call, parts);
  if (call.fault?.fault === 'answer-shape') return shapedAnswer(call.fault.shape, task, parts);
  const created = Math.floor(parts.clock.now() / 1000);
  if (order.responseFormat === 'url') {
    return jsonAnswer({ created, data: resultUrls(task, parts.addresses).map((url) => ({ url })) });
  }
  const files = await outputFiles(task, parts);
  return jsonAnswer({ created, data: files.map((file) => ({ b64_json: file.bytes.toString('base64') })) });
}

async function shapedAnswer(shape: AnswerShape, task: TaskRecord, parts: ServiceParts): Promise<Answer> {
  const urls = resultUrls(task, parts.addresses);
  const [url = ''] = urls;
  const files = await outputFiles(task, parts);
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

/** Some key groups and families have no asynchronous image access (reference: What the service does). */
function requireAsyncAccess({ asyncImages }: ServiceParts, model: unknown): void {
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
const responseFormat = z.enum(['url', 'b64_json']);

/** Body of POST /v1/images/generations (reference: Images). */
const generationFields = z.object({
  model: z.string(),
  prompt: z.string().min(1, 'it must not be empty').optional(),
  size: size.optional(),
  aspect_ratio: z
    .string()
    .regex(/^\d+:\d+$/, 'it must be of the form 16:9')
    .optional(),
  n: count.optional(),
  response_format: responseFormat.optional(),
});
const asyncGenerationFields = generationFields.extend({ resolution: z.string().optional() });

/** Text fields of the forms; numbers arrive as text. */
const formCount = z
  .string()
  .regex(/^[1-4]$/, 'it must be 1 to 4')
  .transform(Number);
const variationFields = z.object({ model: z.string(), n: formCount.optional(), size: size.optional() });
const editFields = variationFields.extend({ prompt: z.string().min(1, 'it must not be empty') });

interface ImageOrder {
  model: DemoModel;
  wanted: MediaRequest;
  responseFormat: 'url' | 'b64_json';
}

function readGeneration(body: Record<string, unknown>, options: ParseOptions & { asynchronous: boolean }): ImageOrder {
  const model = requireModel(body.model, 'image');
  const schema = options.asynchronous ? asyncGenerationFields : generationFields;
  const fields = parseFields(schema, body, options);
  const pixels =
    fields.size === undefined ? ratioPixels(fields.aspect_ratio ?? '1:1', SHAPE) : sizePixels(fields.size, model);
  return order(model, fields.prompt ?? '', fields.n ?? 1, pixels, fields.response_format ?? 'url');
}

/** The family that uses `input.messages` and `parameters.size` (reference: Images). */
const messagesFields = z.object({
  model: z.string(),
  input: z.object({ messages: chatMessages }),
  parameters: z.object({ size: size.optional() }).optional(),
});

function readMessages(body: Record<string, unknown>, parts: ServiceParts): ImageOrder {
  const model = requireModel(body.model, 'image');
  const { input, parameters } = parseFields(messagesFields, body, parts);
  const { prompt } = wordsOf(input.messages);
  if (prompt === '') throw invalid('missing_prompt', 'No message of the user has a text.');
  requireUsableReferences(picturesIn('input.messages', input.messages), model, parts.assets);
  const pixels = parameters?.size === undefined ? ratioPixels('1:1', SHAPE) : sizePixels(parameters.size, model);
  return order(model, prompt, 1, pixels, 'url');
}

/** `edit` needs a prompt and may have a mask; a variation has neither. */
function readForm(
  form: { fields: Record<string, string>; files: FormFile[] },
  operation: 'edit' | 'variation',
  options: ParseOptions,
): ImageOrder {
  const model = requireModel(form.fields.model, 'image');
  requireFiles(form.files, operation === 'edit' ? ['image', 'mask'] : ['image']);
  const prompt =
    operation === 'edit'
      ? parseFields(editFields, form.fields, options).prompt
      : `Variation of ${form.files.find((file) => file.field === 'image')?.fileName ?? 'the image'}`;
  const { prompt: _prompt, ...rest } = form.fields;
  const fields = parseFields(variationFields, operation === 'edit' ? rest : form.fields, options);
  const pixels = fields.size === undefined ? ratioPixels('1:1', SHAPE) : sizePixels(fields.size, model);
  return order(model, prompt, fields.n ?? 1, pixels, 'url');
}

function requireFiles(files: FormFile[], allowed: string[]): void {
  const image = files.find((file) => file.field === 'image');
  if (image === undefined) throw invalid('missing_image', 'The form needs a file in the field "image".');
  if (image.bytes === 0) throw invalid('invalid_image', 'The file in the field "image" is empty.');
  const stray = files.find((file) => !allowed.includes(file.field));
  if (stray !== undefined)
    throw invalid('unknown_field', `The file field "${stray.field}" is not one this route takes.`);
}

function order(
  model: DemoModel,
  prompt: string,
  outputs: number,
  pixels: Pixels,
  format: 'url' | 'b64_json',
): ImageOrder {
  return { model, wanted: mediaRequest({ prompt, ...pixels, outputs }), responseFormat: format };
}

export const SHAPE = { longSide: 1024, multiple: 16 };
const SMALLEST_SIDE = 64;
const LARGEST_SIDE = 4096;

function sizePixels(text: string, model: DemoModel): Pixels {
  const [width = 0, height = 0] = text.split('x').map(Number);
  const multiple = model.sideMultiple ?? 1;
  for (const side of [width, height]) {
    if (side < SMALLEST_SIDE || side > LARGEST_SIDE) {
      const range = `${String(SMALLEST_SIDE)} to ${String(LARGEST_SIDE)}`;
      throw invalid('invalid_size', `The size ${text} has a side outside ${range} pixels.`);
    }
    if (side % multiple !== 0) {
      throw invalid('invalid_size', `The sides of ${text} must be multiples of ${String(multiple)} for ${model.id}.`);
    }
  }
  return { width, height };
}

/** The family names no model, so it is none of those that are listed. */
const typography: DemoModel = { id: 'typo', kind: 'image', ownedBy: 'demo' };

const text = z.string().min(1, 'it must not be empty');

/** Fields that are named (reference: "Typography family"). Any other is accepted. */
const generateFields = z.object({
  prompt: text.optional(),
  aspect_ratio: z
    .string()
    .regex(/^\d+:\d+$/, 'it must be of the form 16:9')
    .optional(),
  rendering_speed: text.optional(),
  style_type: text.optional(),
});
const upscaleFields = z.object({ image: mediaUrl.optional(), image_url: mediaUrl.optional() });
const remixFields = generateFields.extend(upscaleFields.shape);

/** The bodies of the answers are not shown: they are those of the other synchronous entries. */
export const typographyRoutes: Route[] = [
  typographyRoute('generate', (body) => readWords(parseFields(generateFields, body, anyFields))),
  typographyRoute('remix', (body, parts) => {
    const fields = parseFields(remixFields, body, anyFields);
    requirePicture(fields, parts);
    return readWords(fields);
  }),
  typographyRoute('upscale', (body, parts) => {
    const url = requirePicture(parseFields(upscaleFields, body, anyFields), parts);
    return order(typography, `Upscale of ${url}`, 1, ratioPixels('1:1', { ...SHAPE, longSide: 2048 }), 'url');
  }),
  post('/typo/describe', (call, parts) => {
    const url = requirePicture(parseFields(upscaleFields, jsonObject(call), anyFields), parts);
    commitTool(call, parts);
    return jsonAnswer({ descriptions: [{ text: describedPicture(url) }] });
  }),
];

function typographyRoute(
  operation: string,
  read: (body: Record<string, unknown>, parts: ServiceParts) => ImageOrder,
): Route {
  return post(`/typo/${operation}`, (call, parts) => answerWhenDone(call, parts, read(jsonObject(call), parts)));
}

function readWords({ prompt, aspect_ratio: ratio = '1:1' }: z.infer<typeof generateFields>): ImageOrder {
  if (prompt === undefined) throw invalid('missing_field', 'The field "prompt" is required.');
  return order(typography, prompt, 1, ratioPixels(ratio, SHAPE), 'url');
}

function requirePicture({ image, image_url: url }: z.infer<typeof upscaleFields>, { assets }: ServiceParts): string {
  const given = image ?? url;
  if (given === undefined || (image !== undefined && url !== undefined)) {
    throw invalid('invalid_image', 'Name the picture by "image" or by "image_url", one of them.');
  }
  requireUsableReferences([imageReference(image === undefined ? 'image_url' : 'image', given)], typography, assets);
  return given;
}
