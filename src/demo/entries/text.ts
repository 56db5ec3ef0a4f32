import { z } from 'zod';
import { type Answer, invalid, jsonAnswer, type Call } from '../call.ts';
import type { DemoModel } from '../models.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { imageReference, mediaUrl, requireUsableReferences, type MediaReference } from './references.ts';
import {
  anyFields,
  fieldsFor,
  filledText,
  orderFor,
  parseFields,
  post,
  ratioPixels,
  ratioText,
  requireModel,
  type Route,
} from './request.ts';
import { commitTask, finishedFiles } from './tasks.ts';

const most = z.number().int().min(1, 'it must be at least 1').optional();
const stream = z.literal(false, 'the demo does not stream').optional();
const content = z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]);
/** Reference, ChatMessage. */
export const chatMessages = z
  .array(z.object({ role: z.enum(['system', 'user', 'assistant', 'tool']), content }))
  .min(1, 'it must hold a message');
type Message = { readonly role: string; readonly content: z.infer<typeof content> };

const chatFields = z.object({
  model: z.string(),
  messages: chatMessages,
  n: z.number().int().min(1).max(8).optional(),
  max_tokens: most,
  max_completion_tokens: most,
  stream,
  response_format: z.object({ type: z.string() }).optional(),
});

const responseFields = z.object({
  model: z.string(),
  input: z.union([filledText, z.array(z.object({ role: z.string(), content }))]),
  instructions: z.string().nullish(),
  max_output_tokens: most,
  stream,
  text: z.object({ format: z.object({ type: z.string() }).optional() }).optional(),
});

const messageFields = z.object({
  model: z.string(),
  max_tokens: z.number().int().min(1, 'it must be at least 1'),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content })).min(1, 'it must hold a message'),
  system: content.optional(),
  stream,
});

/** Fields of a part are not shown by the reference; these are those of the usual client library. */
const part = z.union([
  z.object({ text: z.string() }),
  z.object({ inlineData: z.object({ mimeType: z.string(), data: z.base64() }) }),
  z.object({ fileData: z.object({ mimeType: z.string().optional(), fileUri: mediaUrl }) }),
]);
const turn = z.object({ role: z.string().optional(), parts: z.array(part).min(1, 'it must hold a part') });
const contentFields = z.object({
  contents: z.array(turn).min(1, 'it must hold an entry'),
  generationConfig: z
    .looseObject({
      maxOutputTokens: most,
      candidateCount: z.number().int().min(1).max(4).optional(),
      responseMimeType: z.string().optional(),
      imageConfig: z.looseObject({ aspectRatio: ratioText.optional() }).optional(),
    })
    .optional(),
  systemInstruction: turn.optional(),
});

/**
 * Text (reference: Text generation). Bodies of answers, and the paths and bodies of responses and messages, are not
 * shown: they are those that the usual client libraries send and expect. Fields that are not named here pass, since
 * each model has its own.
 */
export const textRoutes: Route[] = [
  textRoute('/v1/chat/completions', chatFields, {
    order: (fields) => ({
      asJson: fields.response_format?.type.startsWith('json'),
      count: fields.n,
      most: fields.max_completion_tokens ?? fields.max_tokens,
    }),
    messages: (fields) => fields.messages,
    answer: ({ task, texts, input, output }) => ({
      id: `chatcmpl_${task.id}`,
      created: Math.floor(task.createdAt / 1000),
      model: task.model,
      object: 'chat.completion',
      choices: texts.map(({ text, isCut }, index) => ({
        index,
        message: { role: 'assistant', content: text, refusal: null },
        logprobs: null,
        finish_reason: isCut ? 'length' : 'stop',
      })),
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    }),
  }),
  textRoute('/v1/responses', responseFields, {
    order: (fields) => ({
      ...(fields.instructions && { system: fields.instructions }),
      asJson: fields.text?.format?.type.startsWith('json'),
      most: fields.max_output_tokens,
    }),
    messages: ({ input }) => (typeof input === 'string' ? [{ role: 'user', content: input }] : input),
    answer: ({ task, texts, isCut, input, output }, { instructions = null }) => ({
      id: `resp_${task.id}`,
      object: 'response',
      created_at: Math.floor(task.createdAt / 1000),
      status: isCut ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
      instructions,
      model: task.model,
      output: texts.map(({ text }) => ({
        type: 'message',
        id: `msg_${task.id}`,
        status: isCut ? 'incomplete' : 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      })),
      usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
    }),
  }),
  textRoute('/v1/messages', messageFields, {
    order: ({ system, max_tokens: most }) => ({ ...(system !== undefined && { system: toText(system) }), most }),
    messages: (fields) => fields.messages,
    answer: ({ task, texts, isCut, input, output }) => ({
      id: `msg_${task.id}`,
      type: 'message',
      role: 'assistant',
      model: task.model,
      content: texts.map(({ text }) => ({ type: 'text', text })),
      stop_reason: isCut ? 'max_tokens' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    }),
  }),
  post('/v1beta/models/:call', generateContent),
];

function textRoute<S extends z.ZodObject>(
  path: string,
  schema: S,
  form: {
    order: (fields: z.infer<S>) => Omit<TextOrder, 'prompt'>;
    messages: (fields: z.infer<S>) => readonly Message[];
    answer: (made: Made, fields: z.infer<S>) => object;
  },
): Route {
  return post(path, async (call) => {
    const { model, fields } = orderFor(call, ['text'], schema, anyFields);
    const messages = form.messages(fields);
    requireUsableReferences(picturesIn('messages', messages), model, call);
    const made = await makeTexts(call, model, { ...toWords(messages), ...form.order(fields) });
    return jsonAnswer(form.answer(made, fields));
  });
}

/** Text and images of models of this format. The answer is what its client library expects. */
async function generateContent(call: Call, named = ''): Promise<Answer> {
  const [, id, operation] = /^([^:]+):(.+)$/.exec(decodeURIComponent(named)) ?? [];
  if (operation !== 'generateContent') {
    throw invalid('unknown_operation', 'A model of this format takes generateContent.');
  }
  const model = requireModel(id, 'text', 'image');
  const { contents, generationConfig: config = {}, systemInstruction } = fieldsFor(call, contentFields);
  const asked = contents.flatMap((each) => each.parts);
  const images = asked.flatMap((each) => ('fileData' in each ? [each.fileData.fileUri] : []));
  requireUsableReferences(
    images.map((url) => imageReference('contents', url)),
    model,
    call,
  );
  const words = { prompt: textIn(asked), ...(systemInstruction && { system: textIn(systemInstruction.parts) }) };
  const count = config.candidateCount ?? 1;
  const answer = (task: TaskRecord, candidates: { parts: object[]; finishReason: string }[], usageMetadata: object) =>
    jsonAnswer({
      candidates: candidates.map(({ parts, finishReason }, index) => ({
        content: { role: 'model', parts },
        finishReason,
        index,
      })),
      usageMetadata,
      modelVersion: task.model,
      responseId: task.id,
    });
  if (model.kind === 'text') {
    const asJson = config.responseMimeType === 'application/json';
    const { task, texts, input, output } = await makeTexts(call, model, {
      ...{ ...words, asJson, count, most: config.maxOutputTokens },
    });
    return answer(
      task,
      texts.map(({ text, isCut }) => ({ parts: [{ text }], finishReason: isCut ? 'MAX_TOKENS' : 'STOP' })),
      { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    );
  }
  if (words.prompt.trim() === '') throw invalid('missing_prompt', 'The request has no text to make a picture of.');
  const pixels = ratioPixels(config.imageConfig?.aspectRatio ?? '1:1');
  const wanted = mediaRequest({ prompt: words.prompt, style: words.system ?? null, ...pixels, outputs: count });
  const task = commitTask(call, 'images', { model, wanted });
  const candidates = (await finishedFiles(task, call)).map(({ bytes }) => ({
    parts: [
      { text: 'Here is your picture.' },
      { inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } },
    ],
    finishReason: 'STOP',
  }));
  return answer(task, candidates, {});
}

const textIn = (parts: readonly z.infer<typeof part>[]): string =>
  parts.flatMap((each) => ('text' in each ? [each.text] : [])).join('\n');

interface TextOrder {
  prompt: string;
  system?: string;
  asJson?: boolean | undefined;
  count?: number | undefined;
  most?: number | undefined;
}

type Made = Awaited<ReturnType<typeof makeTexts>>;

/** Billed when accepted, answered when made. A token is a word here. */
async function makeTexts(call: Call, model: DemoModel, order: TextOrder) {
  const { prompt, system = null, asJson = false, count = 1, most: mostTokens = Infinity } = order;
  if (prompt.trim() === '') throw invalid('missing_prompt', 'The request has no text to answer.');
  const round = call.parts.tasks
    .list()
    .filter((task) => task.model === model.id && task.wanted.prompt === prompt && task.wanted.style === system).length;
  const more = { ...(asJson && { format: 'json' }), ...(round > 0 && { round }) };
  const wanted = mediaRequest({ prompt, style: system, outputs: count, ...more });
  const task = commitTask(call, 'tasks', { model, wanted });
  const texts = (await finishedFiles(task, call)).map(({ bytes }) => {
    const tokens = bytes.toString('utf8').match(/\S+\s*/g) ?? [];
    const isCut = tokens.length > mostTokens;
    return { text: isCut ? tokens.slice(0, mostTokens).join('') : bytes.toString('utf8'), isCut };
  });
  const tokens = (text: string): number => text.match(/\S+/g)?.length ?? 0;
  return {
    task,
    texts,
    isCut: texts.some((each) => each.isCut),
    input: tokens(`${system ?? ''} ${prompt}`),
    output: texts.reduce((sum, { text }) => sum + tokens(text), 0),
  };
}

export function toWords(messages: readonly Message[]): { prompt: string; system?: string } {
  const said = (role: string): string[] =>
    messages.filter((each) => each.role === role).map((each) => toText(each.content));
  const system = said('system').join('\n');
  return { prompt: said('user').at(-1) ?? '', ...(system !== '' && { system }) };
}

/**
 * The pictures of a conversation: as on the compatible video route (reference: Compatible route fields), or as the
 * client libraries of responses and messages name them.
 */
export function picturesIn(field: string, messages: readonly Message[]): MediaReference[] {
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .flatMap(({ image_url: image, source }) => {
      const named = typeof image === 'string' ? { url: image } : (image ?? source);
      if (named === undefined) return [];
      const { url } = parseFields(z.object({ url: mediaUrl }), named as Record<string, unknown>, anyFields);
      return [imageReference(field, url)];
    });
}

function toText(value: Message['content']): string {
  if (typeof value === 'string') return value;
  return value.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
