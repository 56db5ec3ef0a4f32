import { Medium } from '../../../src/contract/formats.ts';
import type { Json } from '../../../src/contract/json.ts';
import { answerFor, complaintFor, isObject, parseJson, saidIn, traceIdsFor } from '../../../src/engine/api/answer.ts';
import { toPage, readAsset, readGroup } from '../../../src/engine/api/resources/assets.ts';
import { costHintIn } from '../../../src/engine/api/answer.ts';
import { readCapabilities } from '../../../src/engine/api/resources/models.ts';
import {
  hasNoResult,
  modelsNamed,
  toObject,
  readModels,
  readTask,
  readTaskIds,
  tasksWithState,
} from '../../../src/engine/api/wire-schemas.ts';
import { addressesIn } from '../../../src/engine/kinds/index.ts';
import { readJobExtras } from '../../../src/engine/kinds/image/index.ts';
import { readTaskExtras } from '../../../src/engine/kinds/presenter/index.ts';
import { resultsFor } from '../../../src/engine/kinds/results.ts';
import { readRewritten, readShots } from '../../../src/engine/tools/prompts/prompts.ts';
import { readPage, readSearch } from '../../../src/engine/tools/research/research.ts';
import type { Target } from '../target.ts';

const url = 'https://a.test/b.mp4';
const ANSWERS: readonly Json[] = [
  { id: 'task_1', status: 'succeeded', output: [{ type: 'video', url }], usage: { cost: 1.5 }, model: 'm', created: 1 },
  { data: { task_id: 't', state: 'done', result: { video_url: url, videos: [{ url }] } }, code: 0, message: 'ok' },
  { code: 22, description: 'ok', result: 'job', buttons: [{ customId: 'a', label: 'U1', emoji: { name: 'e' } }] },
  { properties: { finalPrompt: 'p' }, imageUrl: url, imageUrls: [{ url }], status: 'SUCCESS', failReason: '' },
  { error: { message: 'no', code: 'bad', type: 'x', param: null }, request_id: 'r', trace_id: 't' },
  {
    candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'aGVsbG8=' } }, { text: 'a' }] } }],
  },
  {
    choices: [{ message: { content: 'words', role: 'assistant' }, finish_reason: 'length' }],
    usage: { total_tokens: 3 },
  },
  {
    data: [
      { b64_json: 'aGVsbG8=', url },
      { id: 'm-1', owned_by: 'x', sizes: ['1x1'] },
    ],
    has_more: true,
    next: 'c',
  },
  { items: [{ id: 'a1', group_id: 1, name: 'n', status: 'ready', url, size: 3, created_at: 1 }], total: 1, page: 1 },
  { data: [{ taskId: 1, action: 'x', data: [{ voice_id: 'v', audioUrl: url, status: 'complete', title: 't' }] }] },
  { webPages: { value: [{ name: 'n', url, snippet: 's', images: [url] }] }, title: 't', content: '# c', images: [url] },
];

export const targetIn = (): Target => ({
  isJson: true,
  samples: () => Promise.resolve([...ANSWERS.map((json) => Buffer.from(JSON.stringify(json))), Buffer.from('<html>')]),
  read(input) {
    const same = (text: string): string => text;
    const answer = answerFor(200, { 'content-type': 'application/json' }, [input]);
    complaintFor(answer, same);
    traceIdsFor(answer, same);
    addressesIn(input);
    const text = input.toString('utf8');
    readRewritten(text, 2, 2);
    readShots(text);
    readSearch(input);
    readPage(input, url);
    const json = parseJson(text);
    for (const read of [
      readModels,
      readTaskIds,
      readAsset,
      toPage(readAsset),
      readGroup,
      toPage(readGroup),
      costHintIn,
    ])
      read(json);
    tasksWithState(json, { state: 's', prompt: 'p' });
    const body = toObject(json);
    if (body === null) return;
    saidIn(body);
    modelsNamed(body);
    readCapabilities(body);
    readTask(body, (record) => !hasNoResult(record));
    readJobExtras(body);
    readTaskExtras(body, { params: {} });
    for (const medium of Medium.options) resultsFor(body, medium);
    if (!isObject(body)) throw new Error('An object is none.');
  },
});
