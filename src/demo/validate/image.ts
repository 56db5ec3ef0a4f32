import { z } from 'zod';
import type { FormFile } from '../call.ts';
import type { DemoModel } from '../models.ts';
import type { MediaRequest } from '../task-store.ts';
import { requireModel } from './model.ts';
import { invalid, parseFields } from './parse-fields.ts';
import type { ParseOptions } from './parse-fields.ts';

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

export interface ImageOrder {
  model: DemoModel;
  wanted: MediaRequest;
  responseFormat: 'url' | 'b64_json';
}

export function readGeneration(
  body: Record<string, unknown>,
  options: ParseOptions & { asynchronous: boolean },
): ImageOrder {
  const model = requireModel(body.model, 'image');
  const schema = options.asynchronous ? asyncGenerationFields : generationFields;
  const fields = parseFields(schema, body, options);
  const pixels = fields.size === undefined ? ratioPixels(fields.aspect_ratio ?? '1:1') : sizePixels(fields.size, model);
  return order(model, fields.prompt ?? '', fields.n ?? 1, pixels, fields.response_format ?? 'url');
}

/** `edit` needs a prompt and may have a mask; a variation has neither. */
export function readForm(
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
  const pixels = fields.size === undefined ? ratioPixels('1:1') : sizePixels(fields.size, model);
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

interface Pixels {
  width: number;
  height: number;
}

function order(
  model: DemoModel,
  prompt: string,
  outputs: number,
  pixels: Pixels,
  format: 'url' | 'b64_json',
): ImageOrder {
  const wanted: MediaRequest = { prompt, title: null, style: null, seconds: 0, ...pixels, outputs, audio: false };
  return { model, wanted, responseFormat: format };
}

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

const LONG_SIDE = 1024;

function ratioPixels(ratio: string): Pixels {
  const [across = 1, down = 1] = ratio.split(':').map(Number);
  if (across === 0 || down === 0) throw invalid('invalid_field', `The aspect ratio ${ratio} has no area.`);
  const share = Math.min(Math.max(across / down, 0.25), 4);
  const whole = (pixels: number): number => Math.round(pixels / 16) * 16;
  return share >= 1
    ? { width: LONG_SIDE, height: whole(LONG_SIDE / share) }
    : { width: whole(LONG_SIDE * share), height: LONG_SIDE };
}
