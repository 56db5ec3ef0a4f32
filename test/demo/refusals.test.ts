import { expect, it } from 'vitest';
import { aPicture } from '../support/billable-posts.ts';
import { IMAGE, MUSIC, startBench, VIDEO } from './support.ts';

type Defects = [defect: string, change: Record<string, unknown>, code: string][];

const url = 'https://media.example/a.png';
const reference = { media_type: 'image', role: 'reference_image', url };
const text = { type: 'text', text: 'A harbour' };
const frame = { type: 'image_url', role: 'first_frame', image_url: { url } };
const ask = { role: 'user', content: 'A lighthouse' };
const part = { text: 'A lighthouse' };
const contents = [{ parts: [part] }];
const messagesAs = (change: object) => ({ input: { messages: [{ ...ask, ...change }] } });
const base64 = aPicture.toString('base64');
const picture = new Blob(['a picture'], { type: 'image/png' });
const missing = new Set(['model_not_found', 'asset_group_not_found', 'task_not_found', 'page_not_found']);

it.each<[path: string, order: object, defects: Defects]>([
  [
    '/v1/videos',
    VIDEO,
    [
      ['no model', { model: undefined }, 'missing_model'],
      ['a model nobody knows', { model: 'vgen-9' }, 'model_not_found'],
      ['a model that makes images', { model: 'image-demo' }, 'model_not_supported'],
      ['neither prompt nor media', { prompt: undefined }, 'missing_prompt'],
      ['a prompt that is a number', { prompt: 7 }, 'invalid_field'],
      ['too short for its model', { duration: 3 }, 'invalid_duration'],
      ['too long for its model', { duration: '16' }, 'invalid_duration'],
      ['a duration with a fraction', { duration: 4.5 }, 'invalid_field'],
      ['a duration in words', { duration: '5s' }, 'invalid_duration'],
      ['not the 4 seconds of its model', { model: 'vgen-2.0-nt-mini' }, 'invalid_duration'],
      ['a duration and frames', { frames: 120 }, 'duration_with_frames'],
      ['a size its model does not render', { model: 'vgen-2.0-cl-mini', size: '1080p' }, 'invalid_size'],
      ['an aspect ratio in words', { aspect_ratio: 'wide' }, 'invalid_field'],
      ['a field nobody knows', { seconds: 5 }, 'unknown_field'],
      ['content and references', { content: [], references: [reference] }, 'references_with_content'],
      ['content, which is for the other route', { content: [] }, 'unknown_field'],
      ['an image that is a file path', { image: 'refs/a.png' }, 'invalid_field'],
      ['a reference without a role', { references: [{ media_type: 'image', url }] }, 'missing_field'],
      ['a role that does not fit', { references: [{ ...reference, media_type: 'audio' }] }, 'role_mismatch'],
      ['mixed roles', { first_frame_url: url, reference_image_url: url }, 'mixed_roles'],
      [
        'mixed roles of images',
        { images: ['last_frame', 'reference_image'].map((role) => ({ url, role })) },
        'mixed_roles',
      ],
      ['no avatar in its list', { avatar_asset_ids: [] }, 'invalid_field'],
      ['a list with an avatar that is not there', { avatar_asset_ids: ['asset_0'] }, 'asset_not_found'],
      ['an avatar that is not there', { avatar_asset_id: 'asset_0' }, 'asset_not_found'],
      ['an address on the SG line', { model: 'vgen-2.0-sg', image: url }, 'image_source_mismatch'],
      ['an asset that is not there', { image: 'Asset://asset_0' }, 'asset_not_found'],
      ['a video that is no asset on a CL model', { video_url: url }, 'video_reference_not_prepared'],
      ['a callback that is no address', { callback_url: 'me' }, 'invalid_field'],
    ],
  ],
  [
    '/api/v3/contents/generations/tasks',
    { model: 'vgen-2.0-cl', content: [text] },
    [
      ['media without a role', { content: [text, { ...frame, role: undefined }] }, 'missing_role'],
      ['references too', { references: [] }, 'references_with_content'],
      ['no content', { content: undefined }, 'missing_field'],
      ['empty content', { content: [] }, 'invalid_field'],
      ['mixed roles', { content: [frame, { ...frame, role: 'reference_image' }] }, 'mixed_roles'],
      ['words of the other route', { aspect_ratio: '16:9' }, 'unknown_field'],
      ['a duration and frames', { duration: 5, frames: 100 }, 'duration_with_frames'],
      ['a resolution its model does not render', { resolution: '4k' }, 'invalid_size'],
    ],
  ],
  [
    '/v1/images/generations',
    IMAGE,
    [
      ['no model', { model: undefined }, 'missing_model'],
      ['an empty prompt', { prompt: '' }, 'invalid_field'],
      ['none', { n: 0 }, 'invalid_field'],
      ['more than its model makes', { n: 17 }, 'invalid_field'],
      ['a size in words', { size: 'large' }, 'invalid_field'],
      ['sides the pro model does not take', { model: 'image-demo-pro', size: '1000x1000' }, 'invalid_size'],
      ['a format nobody knows', { response_format: 'gif' }, 'invalid_field'],
      ['a resolution on the synchronous entry', { resolution: '2K' }, 'unknown_field'],
      ['a video model', { model: VIDEO.model }, 'model_not_supported'],
    ],
  ],
  [
    '/v1/images/generations/async',
    { model: 'image-demo' },
    [
      ['messages without words', messagesAs({ role: 'assistant' }), 'missing_prompt'],
      ['messages beside a prompt', { ...messagesAs({}), prompt: 'x' }, 'unknown_field'],
      [
        'messages of an asset that is not there',
        messagesAs({ content: [part, { image_url: { url: 'Asset://none' } }] }),
        'asset_not_found',
      ],
    ],
  ],
  ['/v1/images/edits', IMAGE, [['a form as JSON', {}, 'invalid_content_type']]],
  [
    '/v1/tasks',
    MUSIC,
    [
      ['an empty prompt', { prompt: '' }, 'invalid_field'],
      ['a mode that is no boolean', { customMode: 'yes' }, 'invalid_field'],
      ['no model', { model: undefined }, 'missing_model'],
      ['a model nobody knows', { model: 'music-9' }, 'model_not_found'],
      ['a video model', { model: VIDEO.model }, 'model_not_supported'],
    ],
  ],
  ['/typo/generate', {}, [['no prompt', {}, 'missing_field']]],
  ['/typo/generate', { prompt: 'p' }, [['an aspect ratio in words', { aspect_ratio: 'wide' }, 'invalid_field']]],
  [
    '/typo/remix',
    { prompt: 'p' },
    [
      ['no image', {}, 'invalid_image'],
      ['an asset that is not there', { image_url: 'Asset://none' }, 'asset_not_found'],
    ],
  ],
  [
    '/typo/upscale',
    {},
    [
      ['two images', { image: 'https://a.example/1.png', image_url: 'https://a.example/2.png' }, 'invalid_image'],
      ['a file path', { image_url: 'day.png' }, 'invalid_field'],
    ],
  ],
  [
    '/jobimg/submit/imagine',
    { ...IMAGE, prompt: 'p' },
    [
      ['an empty prompt', { prompt: '' }, 'invalid_field'],
      ['a model nobody knows', { model: 'no-such-model' }, 'model_not_found'],
    ],
  ],
  [
    '/jobimg/submit/blend',
    {},
    [
      ['one picture', { base64Array: [base64] }, 'invalid_field'],
      ['what is no picture', { base64Array: [base64, 'bm8gcGljdHVyZQ=='] }, 'invalid_field'],
    ],
  ],
  ['/jobimg/submit/describe', {}, [['two pictures', { base64Array: [base64, base64] }, 'invalid_field']]],
  [
    '/jobimg/submit/action',
    { customId: 'x' },
    [
      ['no task', {}, 'missing_field'],
      ['a task that is not there', { taskId: 'task_none' }, 'task_not_found'],
    ],
  ],
  [
    '/v1/chat/completions',
    { model: 'chat-demo', messages: [ask] },
    [
      ['no messages', { messages: undefined }, 'missing_field'],
      ['a strange role', { messages: [{ ...ask, role: 'x' }] }, 'invalid_field'],
      ['nothing asked', { messages: [{ ...ask, content: '' }] }, 'missing_prompt'],
      ['an image model', { model: 'image-demo' }, 'model_not_supported'],
      ['a model of embeddings', { model: 'embed-demo' }, 'model_not_supported'],
      ['no model', { model: undefined }, 'missing_model'],
      ['a stream', { stream: true }, 'invalid_field'],
    ],
  ],
  [
    '/v1/responses',
    { model: 'chat-demo' },
    [
      ['no input', {}, 'missing_field'],
      ['a stream', { input: 'x', stream: true }, 'invalid_field'],
    ],
  ],
  [
    '/v1/messages',
    { model: 'chat-demo', messages: [ask], max_tokens: 5 },
    [
      ['no limit', { max_tokens: undefined }, 'missing_field'],
      ['a stream', { stream: true }, 'invalid_field'],
      ['a message of the system', { messages: [{ ...ask, role: 'system' }] }, 'invalid_field'],
    ],
  ],
  [
    '/v1beta/models/chat-demo:generateContent',
    { contents },
    [
      ['no contents', { contents: undefined }, 'missing_field'],
      ['no parts', { contents: [{ role: 'user' }] }, 'missing_field'],
      ['a strange part', { contents: [{ parts: [{ words: 'x' }] }] }, 'invalid_field'],
      ['a strange field', { top: 1 }, 'unknown_field'],
    ],
  ],
  ['/v1beta/models/chat-demo:streamGenerateContent', { contents }, [['a stream', {}, 'unknown_operation']]],
  ['/v1beta/models/chat-demo:countTokens', { contents }, [['another operation', {}, 'unknown_operation']]],
  ['/v1beta/models/vgen-2.0-cl:generateContent', { contents }, [['a video model', {}, 'model_not_supported']]],
  [
    '/v1beta/models/image-demo:generateContent',
    { contents: [{ parts: [part, { fileData: { fileUri: 'Asset://none' } }] }] },
    [['an asset that is not there', {}, 'asset_not_found']],
  ],
  [
    '/v1/audio/speech',
    { model: 'speech-demo', input: 'Someone keeps a light.', voice: 'alto' },
    [
      ['no model', { model: undefined }, 'missing_model'],
      ['an image model', { model: 'image-demo' }, 'model_not_supported'],
      ['nothing to say', { input: '' }, 'invalid_field'],
      ['no voice', { voice: undefined }, 'missing_field'],
      ['a strange format', { response_format: 'wav' }, 'invalid_field'],
      ['too fast', { speed: 4.5 }, 'invalid_field'],
      ['a strange field', { volume: 2 }, 'unknown_field'],
    ],
  ],
  [
    '/v1/web-search',
    { query: 'a' },
    [
      ['a search for nothing', { query: ' ' }, 'invalid_field'],
      ['no query', { query: undefined }, 'missing_field'],
      ['too many results', { count: 51 }, 'invalid_field'],
      ['a page before the first', { page: 0 }, 'invalid_field'],
      ['a strange freshness', { freshness: 'day' }, 'invalid_field'],
      ['a strange field', { limit: 3 }, 'unknown_field'],
    ],
  ],
  [
    '/v1/web-reader',
    { url: 'https://harbour.example/gulls' },
    [
      ['no address', { url: 'fresnel' }, 'invalid_field'],
      ['another page', { url: 'https://elsewhere.example/' }, 'page_not_found'],
      ['what a page never shows', { waitForCSSSelectors: ['nav'] }, 'selector_not_found'],
    ],
  ],
  [
    '/v1/embeddings',
    { model: 'embed-demo', input: 'a' },
    [
      ['no text', { input: [] }, 'invalid_field'],
      ['a blank text', { input: ['a', ' '] }, 'invalid_field'],
      ['a model of texts', { model: 'chat-demo' }, 'model_not_supported'],
      ['a model that is not there', { model: 'none' }, 'model_not_found'],
    ],
  ],
  [
    '/v1/assets/uploads',
    { type: 'image', url },
    [
      ['no type', { type: undefined }, 'missing_field'],
      ['a type nobody knows', { type: 'font' }, 'invalid_field'],
      ['no address', { url: undefined }, 'missing_field'],
      ['an address that is none', { url: 'fox.png' }, 'invalid_field'],
      ['a mode nobody knows', { mode: 'fast' }, 'invalid_field'],
      ['a field nobody knows', { name: 'Fox' }, 'unknown_field'],
      ['a malformed group', { group_id: 'foxes' }, 'invalid_group_id'],
      ['a group that is not there', { group_id: 'group_0' }, 'asset_group_not_found'],
    ],
  ],
  ['/v1/asset-groups', { description: 'Foxes' }, [['no name', {}, 'missing_name']]],
])('%s with %j refuses each defect for nothing', async (path, order, defects) => {
  const bench = await startBench();
  const answers: unknown[] = [];
  for (const [defect, change] of defects) {
    const { status, code, json } = await bench.post(path, { ...order, ...change });
    expect(json.error).toMatchObject({ message: expect.any(String), type: expect.any(String) });
    answers.push([defect, status, code]);
  }
  expect(answers).toEqual(defects.map(([defect, , code]) => [defect, missing.has(code) ? 404 : 400, code]));
  expect(bench.service.ledger.commits).toBe(0);
});

it.each<[defect: string, path: string, parts: Record<string, string | Blob>, code: string]>([
  ['an edit without an image', '/v1/images/edits', IMAGE, 'missing_image'],
  ['an edit with an empty image', '/v1/images/edits', { ...IMAGE, image: new Blob([]) }, 'invalid_image'],
  ['an edit without a prompt', '/v1/images/edits', { model: IMAGE.model, image: picture }, 'missing_field'],
  ['an edit with n out of range', '/v1/images/edits', { ...IMAGE, image: picture, n: '5' }, 'invalid_field'],
  ['a variation with a prompt', '/v1/images/variations', { ...IMAGE, image: picture }, 'unknown_field'],
  ['a mask', '/v1/images/variations', { model: IMAGE.model, image: picture, mask: picture }, 'unknown_field'],
  ['a variation without a model', '/v1/images/variations', { image: picture }, 'missing_model'],
  ['an upload without a file', '/v1/assets/uploads', { type: 'image' }, 'missing_file'],
])('a form is refused for nothing: %s', async (_defect, path, parts, code) => {
  const bench = await startBench();
  expect(await bench.form(path, parts)).toMatchObject({ status: 400, code });
  expect(bench.service.ledger.commits).toBe(0);
});
