import { z } from 'zod';
import { jsonAnswer } from '../answer.ts';
import { jsonObject } from '../call.ts';
import { embeddingOf } from '../embedding.ts';
import { EMBEDDING_MODELS } from '../models.ts';
import { commitTool } from './create-task.ts';
import { invalid, modelMissing, parseFields } from './fields.ts';
import type { Route } from './route.ts';

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
export const embeddingRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/embeddings',
    answer: (call, parts) => {
      const body = jsonObject(call);
      const {
        model,
        input,
        encoding_format: encoding,
        dimensions = USUAL_DIMENSIONS,
      } = parseFields(fields, body, parts);
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
    },
  },
];

/** Floats of four bytes, the lowest first. */
const asBase64 = (vector: Float32Array): string => Buffer.from(vector.buffer).toString('base64');
