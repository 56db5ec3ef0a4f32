import { z } from 'zod';
import { jsonAnswer, invalid } from '../answer.ts';
import { jsonObject } from '../call.ts';
import { describedPicture } from '../described-picture.ts';
import type { DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { commitTool } from './create-task.ts';
import { parseFields, ratioPixels } from './fields.ts';
import { answerWhenDone, order, SHAPE, type ImageOrder } from './images.ts';
import { imageReference, mediaUrl, requireUsableReferences } from './references.ts';
import { post, type Route } from './route.ts';
import { anyFields } from './text.ts';

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
