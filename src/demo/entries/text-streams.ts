import { textAnswer, type Answer } from '../answer.ts';

/** Texts word by word, as server-sent events. The reference shows no streams: these are what the usual client libraries read. */

export interface Made {
  text: string;
  /** It was longer than the request allows. */
  isCut: boolean;
}

const pieces = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? [];

const eventStream = (lines: readonly string[]): Answer =>
  textAnswer(lines.map((line) => `${line}\n\n`).join(''), 'text/event-stream; charset=utf-8');

const data = (event: object): string => `data: ${JSON.stringify(event)}`;

/** An event that says its type twice: in its own line, and in its data. */
const named = <Event extends { readonly type: string }>(event: Event): string => `event: ${event.type}\n${data(event)}`;

export function chatStream(head: object, made: readonly Made[], usage: object | null): Answer {
  const chunk = (more: object): object => ({ ...head, object: 'chat.completion.chunk', ...more });
  const piece = (index: number, delta: object, finish_reason: string | null = null): object =>
    chunk({ choices: [{ index, delta, logprobs: null, finish_reason }] });
  const events = made.flatMap(({ text, isCut }, index) => [
    piece(index, { role: 'assistant', content: '' }),
    ...pieces(text).map((word) => piece(index, { content: word })),
    piece(index, {}, isCut ? 'length' : 'stop'),
  ]);
  if (usage !== null) events.push(chunk({ choices: [], usage }));
  return eventStream([...events.map(data), 'data: [DONE]']);
}

export interface ResponseItem {
  readonly id: string;
  readonly content: readonly { readonly text: string }[];
}

/** `response`: as it is answered without a stream. */
export function responseStream(response: {
  readonly status: string;
  readonly output: readonly ResponseItem[];
}): Answer {
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const items = response.output.flatMap((item, output_index) => {
    const [part = { text: '' }] = item.content;
    const empty = { ...part, text: '' };
    const at = { item_id: item.id, output_index, content_index: 0 };
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...at, part: empty },
      ...pieces(part.text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    { type: `response.${response.status}`, response },
  ];
  return eventStream(events.map((event, sequence_number) => named({ ...event, sequence_number })));
}

interface Message {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

/** `message`: as it is answered without a stream. */
export function messageStream(message: Message): Answer {
  const { content, stop_reason, stop_sequence, usage } = message;
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } };
  const blocks = content.flatMap(({ type, text }, index) => [
    { type: 'content_block_start', index, content_block: { type, text: '' } },
    ...pieces(text).map((word) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'text_delta', text: word },
    })),
    { type: 'content_block_stop', index },
  ]);
  const events = [
    { type: 'message_start', message: begun },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } },
    { type: 'message_stop' },
  ];
  return eventStream(events.map(named));
}

interface Candidate {
  readonly content: { readonly role: string; readonly parts: readonly object[] };
  readonly finishReason: string;
  readonly index: number;
}

/** A generateContent answer. */
export interface Content {
  readonly candidates: readonly Candidate[];
  readonly usageMetadata: object;
  readonly modelVersion: string;
  readonly responseId: string;
}

/** Texts come in pieces, pictures whole. */
export function contentStream({ candidates, usageMetadata, ...head }: Content): Answer {
  const events = candidates.flatMap(({ content, finishReason, index }) => {
    const parts = content.parts.flatMap((part) =>
      'text' in part && typeof part.text === 'string' ? pieces(part.text).map((text) => ({ text })) : [part],
    );
    return parts.map((part, place) => ({
      ...head,
      candidates: [
        {
          content: { role: content.role, parts: [part] },
          index,
          ...(place === parts.length - 1 && { finishReason }),
        },
      ],
      usageMetadata,
    }));
  });
  return eventStream(events.map(data));
}
