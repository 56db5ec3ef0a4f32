import { z } from 'zod';
import { invalid } from '../answer.ts';
import { jsonObject } from '../call.ts';
import type { ServiceParts } from '../service-parts.ts';
import { parseFields, requireModel } from './fields.ts';
import { mediaUrl, publicUrl, ROLES, type MediaReference } from './references.ts';
import { post } from './route.ts';
import { durationField, orderVideo, requireSeconds, type VideoFacts } from './videos.ts';

export const compatibleVideoRoute = post('/api/v3/contents/generations/tasks', (call, parts) =>
  orderVideo(call, parts, readContent(jsonObject(call), parts)),
);

const role = z.enum(ROLES);
const alias = z.string().optional();
const address = z.strictObject({ url: mediaUrl });

const contentEntry = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), role, image_url: address, alias }),
  z.strictObject({ type: z.literal('video_url'), role, video_url: address, alias }),
  z.strictObject({ type: z.literal('audio_url'), role, audio_url: address, alias }),
]);

/** Body of the compatible route (reference: Videos, "Compatible route fields"). */
const compatibleFields = z.object({
  model: z.string(),
  content: z.array(contentEntry).min(1, 'it must hold at least one entry'),
  ratio: z
    .string()
    .regex(/^\d+:\d+$/, 'it must be of the form 16:9')
    .optional(),
  resolution: z.string().optional(),
  duration: durationField.optional(),
  frames: z.number().int().positive().optional(),
  generate_audio: z.boolean().optional(),
  watermark: z.boolean().optional(),
  callback_url: publicUrl.optional(),
});

function readContent(body: Record<string, unknown>, parts: ServiceParts): VideoFacts {
  const model = requireModel(body.model, 'video');
  if (body.references !== undefined && body.content !== undefined) {
    throw invalid('references_with_content', '"references" and "content" are not sent in one request.');
  }
  requireRoles(body.content);
  const fields = parseFields(compatibleFields, body, parts);
  const texts = fields.content.flatMap((entry) => (entry.type === 'text' ? [entry.text] : []));
  return {
    model,
    references: contentReferences(fields.content),
    prompt: texts.join('\n'),
    seconds: requireSeconds(fields, model),
    aspectRatio: fields.ratio ?? '16:9',
    size: fields.resolution,
    audio: fields.generate_audio ?? true,
  };
}

/** Said apart from the schema, because the reference names this mistake (compatible route, rule 2). */
function requireRoles(content: unknown): void {
  if (!Array.isArray(content)) return;
  content.forEach((entry: unknown, place) => {
    const { type, role: given } = (entry ?? {}) as { type?: unknown; role?: unknown };
    if (type !== 'text' && given === undefined) {
      throw invalid('missing_role', `content[${String(place)}] is media and needs a "role".`);
    }
  });
}

function contentReferences(content: z.infer<typeof contentEntry>[]): MediaReference[] {
  return content.flatMap((entry, place): MediaReference[] => {
    if (entry.type === 'text') return [];
    const rest = { field: `content[${String(place)}]`, role: entry.role, roleNamed: true, alias: entry.alias ?? null };
    switch (entry.type) {
      case 'image_url':
        return [{ ...rest, url: entry.image_url.url, type: 'image' }];
      case 'video_url':
        return [{ ...rest, url: entry.video_url.url, type: 'video' }];
      case 'audio_url':
        return [{ ...rest, url: entry.audio_url.url, type: 'audio' }];
    }
  });
}
