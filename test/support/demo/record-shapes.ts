import { jsonAnswer, type Answer } from '../../../src/demo/call.ts';
import { textAnswer } from './fault-effects.ts';

type Fields = Record<string, unknown>;

/** Places for the address of a result in a record, each as one reading or another of the reference has it. */
const places = {
  'data.video_url': (url) => ({ data: { video_url: url } }),
  video_url: (url) => ({ video_url: url }),
  url: (url) => ({ url }),
  result_url: (url) => ({ result_url: url }),
  'output.url': (url) => ({ output: { url } }),
  'output[].url': (url) => ({ output: [{ url }] }),
  'metadata.url': (url) => ({ metadata: { url } }),
  'data.result_url': (url) => ({ data: { result_url: url } }),
  'data.output[].url': (url) => ({ data: { output: [{ url }] } }),
  data: (url) => ({ data: url }),
  'result[]': (url) => ({ result: [url] }),
  imageUrls: (url) => ({ imageUrls: [url] }),
  audio_url: (url) => ({ audio_url: url }),
  audioUrl: (url) => ({ audioUrl: url }),
  nowhere: (url) => ({ outcome: { files: [{ href: url }] } }),
} satisfies Record<string, (url: string) => Fields>;

/** What may stand around a record. */
const wrappers = {
  none: (record) => record,
  data: (record) => ({ code: 'success', message: '', data: record }),
  'data[]': (record) => ({ code: 'success', message: '', data: [record] }),
  'data.data[]': (record) => ({ code: 'success', data: { data: [record], total: 1 } }),
  result: (record) => ({ code: 1, result: record }),
  output: (record) => ({ request_id: 'req_1', output: record }),
  list: (record) => [record],
} satisfies Record<string, (record: Fields) => unknown>;

export type RecordPlace = keyof typeof places;
export type RecordWrapper = keyof typeof wrappers;
export const RECORD_PLACES = Object.keys(places) as RecordPlace[];
export const RECORD_WRAPPERS = Object.keys(wrappers) as RecordWrapper[];

export interface RecordShape {
  readonly place?: RecordPlace | undefined;
  readonly wrapper?: RecordWrapper | undefined;
  /** The record says nothing of its status. */
  readonly silent?: boolean | undefined;
}

/** The fields in which the views of this service show results. */
const SHOWN = ['output', 'result_url', 'audio_url', 'imageUrl', 'imageUrls', 'task_chain', 'data'];

/** Shows the record of an answer in another shape. Bytes become base64 in `audio`. */
export function reshaped(answer: Answer, { place, wrapper = 'none', silent = false }: RecordShape): Answer {
  const isJson = answer.headers['content-type']?.startsWith('application/json') ?? false;
  const record = isJson ? (JSON.parse(answer.body.toString()) as Fields) : { audio: answer.body.toString('base64') };
  const shown = silent ? without(moved(record, place), ['status']) : moved(record, place);
  return jsonAnswer(wrappers[wrapper](shown), answer.status);
}

function moved(record: Fields, place: RecordPlace | undefined): Fields {
  const [url] = addressesIn(SHOWN.map((name) => record[name]));
  if (place === undefined || url === undefined) return record;
  return { ...without(record, SHOWN), ...places[place](url) };
}

function addressesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('http') ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addressesIn) : [];
}

const without = (record: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

const base64 = (files: Buffer[]): string[] => files.map((file) => file.toString('base64'));

/** Forms of a synchronous answer with pictures; the reference shows none ("Images"). */
export const answerShapes = {
  bytes: (_urls, [file]) => ({
    status: 200,
    headers: { 'content-type': 'image/png' },
    body: file ?? Buffer.alloc(0),
  }),
  'text-address': ([url = '']) => textAnswer(`${url}\n`, 'text/plain; charset=utf-8'),
  'data-urls': (_urls, files) =>
    jsonAnswer({ data: base64(files).map((text) => ({ url: `data:image/png;base64,${text}` })) }),
  images: (urls) => jsonAnswer({ images: urls.map((url) => ({ url })) }),
  'base64-images': (_urls, files) => jsonAnswer({ images: base64(files), parameters: {} }),
  array: (urls) => jsonAnswer(urls),
  image_url: ([url]) => jsonAnswer({ image_url: url }),
  nested: (urls) => jsonAnswer({ code: 'success', result: { images: urls.map((url) => ({ image_url: { url } })) } }),
  unknown: (urls) => jsonAnswer({ outcome: { files: urls.map((href) => ({ href })) } }),
} satisfies Record<string, (urls: string[], files: Buffer[]) => Answer>;
export type AnswerShape = keyof typeof answerShapes;
export const ANSWER_SHAPES = Object.keys(answerShapes) as AnswerShape[];
