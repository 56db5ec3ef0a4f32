import { z } from 'zod';
import { jsonAnswer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import type { DemoModel } from '../models.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { commitTask, finished, outputFiles } from './create-task.ts';
import { parseFields, ratioPixels, requireModel } from './fields.ts';
import { imageReference, mediaUrl, requireUsableReferences } from './references.ts';
import { post } from './route.ts';
import { contentStream, type Content } from './text-streams.ts';
import { makeTexts, usageOf } from './text.ts';

/** Text and images of models of this format (reference: Text generation). The answer is what its client library expects. */
export const generateContentRoute = post('/v1beta/models/:call', async (call, parts, { call: named = '' }) => {
  const [, id, operation] = /^([^:]+):(.+)$/.exec(decodeURIComponent(named)) ?? [];
  if (operation !== 'generateContent' && operation !== 'streamGenerateContent') {
    throw invalid('unknown_operation', 'A model of this format takes generateContent.');
  }
  const model = requireModel(id, 'text', 'image');
  const order = readOrder(jsonObject(call), parts, model);
  const make = model.kind === 'text' ? makeText : makeImage;
  const content = await make(call, parts, model, order);
  return operation === 'generateContent' ? jsonAnswer(content) : contentStream(content);
});

/** Fields of a part are not shown by the reference; these are those of the usual client library. */
const part = z.union([
  z.object({ text: z.string() }),
  z.object({ inlineData: z.object({ mimeType: z.string(), data: z.base64() }) }),
  z.object({ fileData: z.object({ mimeType: z.string().optional(), fileUri: mediaUrl }) }),
]);
const turn = z.object({ role: z.string().optional(), parts: z.array(part).min(1, 'it must hold a part') });
const fields = z.object({
  contents: z.array(turn).min(1, 'it must hold an entry'),
  generationConfig: z
    .looseObject({
      maxOutputTokens: z.number().int().min(1).optional(),
      candidateCount: z.number().int().min(1).max(4).optional(),
      responseMimeType: z.string().optional(),
      imageConfig: z
        .looseObject({
          aspectRatio: z
            .string()
            .regex(/^\d+:\d+$/)
            .optional(),
        })
        .optional(),
    })
    .optional(),
  systemInstruction: turn.optional(),
});

interface Order {
  prompt: string;
  system: string | null;
  config: NonNullable<z.infer<typeof fields>['generationConfig']>;
}

function readOrder(body: Record<string, unknown>, parts: ServiceParts, model: DemoModel): Order {
  const { contents, generationConfig = {}, systemInstruction } = parseFields(fields, body, parts);
  const asked = contents.flatMap((each) => each.parts);
  const images = asked.flatMap((each) => ('fileData' in each ? [each.fileData.fileUri] : []));
  requireUsableReferences(
    images.map((url) => imageReference('contents', url)),
    model,
    parts.assets,
  );
  return {
    prompt: textIn(asked),
    system: systemInstruction === undefined ? null : textIn(systemInstruction.parts),
    config: generationConfig,
  };
}

const textIn = (parts: readonly z.infer<typeof part>[]): string =>
  parts.flatMap((each) => ('text' in each ? [each.text] : [])).join('\n');

async function makeText(call: Call, parts: ServiceParts, model: DemoModel, order: Order): Promise<Content> {
  const { prompt, system, config } = order;
  const { made, task } = await makeTexts(call, parts, {
    model: model.id,
    prompt,
    ...(system !== null && { system }),
    asJson: config.responseMimeType === 'application/json',
    count: config.candidateCount ?? 1,
    most: config.maxOutputTokens,
  });
  const { input, output } = usageOf(task, made);
  return contentOf(
    task,
    made.map(({ text, isCut }) => ({ parts: [{ text }], finishReason: isCut ? 'MAX_TOKENS' : 'STOP' })),
    { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
  );
}

async function makeImage(call: Call, parts: ServiceParts, model: DemoModel, order: Order): Promise<Content> {
  const { prompt, config } = order;
  if (prompt.trim() === '') throw invalid('missing_prompt', 'The request has no text to make a picture of.');
  const pixels = ratioPixels(config.imageConfig?.aspectRatio ?? '1:1', { longSide: 1024, multiple: 16 });
  const wanted = mediaRequest({ prompt, style: order.system, ...pixels, outputs: config.candidateCount ?? 1 });
  const task = commitTask(call, parts, 'images', { model, wanted });
  await finished(task, call, parts);
  const files = await outputFiles(task, parts);
  const candidates = files.map(({ bytes }) => ({
    parts: [
      { text: 'Here is your picture.' },
      { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } },
    ],
    finishReason: 'STOP',
  }));
  return contentOf(task, candidates, {});
}

function contentOf(
  task: TaskRecord,
  candidates: readonly { parts: object[]; finishReason: string }[],
  usageMetadata: object,
): Content {
  return {
    candidates: candidates.map(({ parts, finishReason }, index) => ({
      content: { role: 'model', parts },
      finishReason,
      index,
    })),
    usageMetadata,
    modelVersion: task.model,
    responseId: task.id,
  };
}
