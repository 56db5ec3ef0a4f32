import { z } from 'zod';
import { jsonAnswer, type Answer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import type { ServiceParts } from '../service-parts.ts';
import { mediaRequest, type TaskRecord } from '../task-store.ts';
import { commitTask, finished, outputFiles } from './create-task.ts';
import { parseFields, requireModel } from './fields.ts';
import { imageReference, mediaUrl, requireUsableReferences, type MediaReference } from './references.ts';
import { post, type Route } from './route.ts';
import { chatStream, messageStream, responseStream, type Made } from './text-streams.ts';

/**
 * Text (reference: Text generation). Bodies of answers, and the paths and bodies of responses and messages, are not
 * shown: they are those that the usual client libraries send and expect. Fields that are not named here pass, since
 * each model has its own.
 */
export const textRoutes: Route[] = [
  post('/v1/chat/completions', answerChat),
  post('/v1/responses', answerResponse),
  post('/v1/messages', answerMessage),
];

export const anyFields = { rejectUnknownFields: false };
const most = z.number().int().min(1, 'it must be at least 1').optional();
const flag = z.boolean().optional();
const content = z.union([z.string(), z.array(z.record(z.string(), z.unknown()))]);
/** Reference, ChatMessage. */
export const chatMessages = z
  .array(z.object({ role: z.enum(['system', 'user', 'assistant', 'tool']), content }))
  .min(1, 'it must hold a message');
type Content = z.infer<typeof content>;

const chatFields = z.object({
  model: z.string(),
  messages: chatMessages,
  n: z.number().int().min(1).max(8).optional(),
  max_tokens: most,
  max_completion_tokens: most,
  stream: flag,
  stream_options: z.object({ include_usage: flag }).optional(),
  response_format: z.object({ type: z.string() }).optional(),
});

async function answerChat(call: Call, parts: ServiceParts): Promise<Answer> {
  const body = jsonObject(call);
  const model = requireModel(body.model, 'text');
  const fields = parseFields(chatFields, body, anyFields);
  requireUsableReferences(picturesIn('messages', fields.messages), model, parts.assets);
  const { made, task } = await makeTexts(call, parts, {
    ...wordsOf(fields.messages),
    asJson: fields.response_format?.type.startsWith('json') ?? false,
    count: fields.n ?? 1,
    most: fields.max_completion_tokens ?? fields.max_tokens,
  });
  const id = `chatcmpl_${task.id}`;
  const head = { id, created: Math.floor(task.createdAt / 1000), model: task.model };
  const { input, output } = usageOf(task, made);
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  if (fields.stream === true) {
    return chatStream(head, made, fields.stream_options?.include_usage === true ? usage : null);
  }
  const choices = made.map(({ text, isCut }, index) => ({
    index,
    message: { role: 'assistant', content: text, refusal: null },
    logprobs: null,
    finish_reason: isCut ? 'length' : 'stop',
  }));
  return jsonAnswer({ ...head, object: 'chat.completion', choices, usage });
}

const responseFields = z.object({
  model: z.string(),
  input: z.union([z.string().min(1, 'it must not be empty'), z.array(z.object({ role: z.string(), content }))]),
  instructions: z.string().nullish(),
  max_output_tokens: most,
  stream: flag,
  text: z.object({ format: z.object({ type: z.string() }).optional() }).optional(),
});

async function answerResponse(call: Call, parts: ServiceParts): Promise<Answer> {
  const body = jsonObject(call);
  const model = requireModel(body.model, 'text');
  const fields = parseFields(responseFields, body, anyFields);
  const { input: asked } = fields;
  requireUsableReferences(picturesIn('input', typeof asked === 'string' ? [] : asked), model, parts.assets);
  const { made, task } = await makeTexts(call, parts, {
    ...wordsOf(typeof asked === 'string' ? [{ role: 'user', content: asked }] : asked),
    ...(fields.instructions && { system: fields.instructions }),
    asJson: fields.text?.format?.type.startsWith('json') ?? false,
    most: fields.max_output_tokens,
  });
  const { input, output } = usageOf(task, made);
  const isCut = made.some((each) => each.isCut);
  const response = {
    id: `resp_${task.id}`,
    object: 'response',
    created_at: Math.floor(task.createdAt / 1000),
    status: isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    instructions: fields.instructions ?? null,
    model: task.model,
    output: made.map(({ text }) => ({
      type: 'message',
      id: `msg_${task.id}`,
      status: isCut ? 'incomplete' : 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    })),
    usage: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  };
  return fields.stream === true ? responseStream(response) : jsonAnswer(response);
}

const messageFields = z.object({
  model: z.string(),
  max_tokens: z.number().int().min(1, 'it must be at least 1'),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content })).min(1, 'it must hold a message'),
  system: content.optional(),
  stream: flag,
});

async function answerMessage(call: Call, parts: ServiceParts): Promise<Answer> {
  const body = jsonObject(call);
  const model = requireModel(body.model, 'text');
  const fields = parseFields(messageFields, body, anyFields);
  requireUsableReferences(picturesIn('messages', fields.messages), model, parts.assets);
  const { made, task } = await makeTexts(call, parts, {
    ...wordsOf(fields.messages),
    ...(fields.system !== undefined && { system: textOf(fields.system) }),
    most: fields.max_tokens,
  });
  const { input, output } = usageOf(task, made);
  const message = {
    id: `msg_${task.id}`,
    type: 'message',
    role: 'assistant',
    model: task.model,
    content: made.map(({ text }) => ({ type: 'text', text })),
    stop_reason: made.some(({ isCut }) => isCut) ? 'max_tokens' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  };
  return fields.stream === true ? messageStream(message) : jsonAnswer(message);
}

interface TextOrder {
  prompt: string;
  system?: string;
  asJson?: boolean;
  count?: number;
  most?: number | undefined;
}

/** Billed when accepted, answered when made. */
export async function makeTexts(
  call: Call,
  parts: ServiceParts,
  order: TextOrder & { model?: string },
): Promise<{ made: Made[]; task: TaskRecord }> {
  const { prompt, system = null, asJson = false, count = 1, most: mostTokens = Infinity } = order;
  const model = requireModel(order.model ?? jsonObject(call).model, 'text');
  if (prompt.trim() === '') throw invalid('missing_prompt', 'The request has no text to answer.');
  const round = parts.tasks
    .list()
    .filter((task) => task.model === model.id && task.wanted.prompt === prompt && task.wanted.style === system).length;
  const facts = {
    prompt,
    style: system,
    outputs: count,
    ...(asJson && { format: 'json' }),
    ...(round > 0 && { round }),
  };
  const wanted = mediaRequest(facts);
  const task = commitTask(call, parts, 'tasks', { model, wanted });
  await finished(task, call, parts);
  const files = await outputFiles(task, parts);
  return { made: files.map(({ bytes }) => cutText(bytes.toString('utf8'), mostTokens)), task };
}

/** A token is a word here. */
function cutText(text: string, mostTokens: number): Made {
  const tokens = text.match(/\S+\s*/g) ?? [];
  return tokens.length <= mostTokens
    ? { text, isCut: false }
    : { text: tokens.slice(0, mostTokens).join(''), isCut: true };
}

export function usageOf({ wanted }: TaskRecord, made: readonly Made[]): { input: number; output: number } {
  const tokens = (text: string): number => text.match(/\S+/g)?.length ?? 0;
  return {
    input: tokens(`${wanted.style ?? ''} ${wanted.prompt}`),
    output: made.reduce((sum, { text }) => sum + tokens(text), 0),
  };
}

/** The words of a conversation: its user's last message, and the system's. */
export function wordsOf(messages: readonly { role: string; content: Content }[]): { prompt: string; system?: string } {
  const said = (role: string): string[] =>
    messages.filter((each) => each.role === role).map((each) => textOf(each.content));
  const system = said('system').join('\n');
  return { prompt: said('user').at(-1) ?? '', ...(system !== '' && { system }) };
}

/**
 * The pictures of a conversation: as on the compatible video route (reference: Compatible route fields), or as the
 * client libraries of responses and messages name them.
 */
export function picturesIn(field: string, messages: readonly { content: Content }[]): MediaReference[] {
  return messages
    .flatMap(({ content }) => (typeof content === 'string' ? [] : content))
    .flatMap(({ image_url: image, source }) => {
      const named = typeof image === 'string' ? { url: image } : (image ?? source);
      if (named === undefined) return [];
      const { url } = parseFields(z.object({ url: mediaUrl }), named as Record<string, unknown>, anyFields);
      return [imageReference(field, url)];
    });
}

function textOf(value: Content): string {
  if (typeof value === 'string') return value;
  return value.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
