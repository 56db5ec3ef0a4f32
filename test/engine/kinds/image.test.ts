import { join, resolve } from 'node:path';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { PlannedRequest } from '../../../src/contract/take.ts';
import type { Refusal, RequestContext } from '../../../src/engine/kinds/rules.ts';
import { driverFor, taskPathFor } from '../../../src/engine/kinds/index.ts';
import { contextOf, findingsOf, resultsRead, shotOf } from './support.ts';

const driver = driverFor('image');
const synchronous = { entryIsMissing: true };
const noAccess = { httpStatus: 403, code: 'no_access', message: 'Your key has no access to asynchronous images.' };

/** The request that follows a refusal; null where none does. */
function fallback(shot: ShotSpec, context: RequestContext, refused: PlannedRequest, complaint: Refusal) {
  const isMissing = driver.optionalEntry?.isMissing(shot, context, refused, complaint) === true;
  return isMissing ? driver.toRequest(shot, { ...context, entryIsMissing: true }) : null;
}

describe('generating an image', () => {
  const params = { response_format: 'url', n: 2, aspect_ratio: '1:1', size: '1024x1024' };

  it('takes the asynchronous entry', () => {
    const request = driver.toRequest(shotOf({ kind: 'image', params: { ...params, resolution: '2K' } }), contextOf());
    expect(request).toMatchObject({
      operation: 'images.generateAsync',
      path: '/v1/images/generations/async',
      answers: 'task',
      encoding: 'json',
      files: [],
    });
    expect(JSON.stringify(request.body)).toBe(
      '{"model":"m","prompt":"p","size":"1024x1024","aspect_ratio":"1:1","resolution":"2K","n":2,"response_format":"url"}',
    );
  });

  it('takes the synchronous one when the account has no other', () => {
    const request = driver.toRequest(shotOf({ kind: 'image', params }), contextOf(synchronous));
    expect(request).toMatchObject({ operation: 'images.generate', path: '/v1/images/generations', answers: 'json' });
    expect(request.body).toEqual({ model: 'm', prompt: 'p', ...params });
  });

  it('never goes round the asynchronous entry with a resolution, which only that one has', () => {
    const shot = shotOf({ kind: 'image', params: { resolution: '2K' } });
    const request = driver.toRequest(shot, contextOf(synchronous));
    expect(request.operation).toBe('images.generateAsync');
    expect(fallback(shot, contextOf(), request, noAccess)).toBeNull();
  });
});

describe('editing an image', () => {
  const params = { operation: 'edit', image: 'refs/a.png', mask: '~/m.png', n: 1, size: '512x512' };
  const shot = shotOf({ kind: 'image', params, extra: { quality: 'high' } });

  it('sends the files as parts of a form', () => {
    expect(driver.toRequest(shot, contextOf())).toEqual({
      operation: 'images.editAsync',
      method: 'POST',
      path: '/v1/images/edits/async',
      encoding: 'multipart',
      body: { model: 'm', prompt: 'p', n: 1, size: '512x512', quality: 'high' },
      files: [
        { field: 'image', path: resolve('/lists/refs/a.png') },
        { field: 'mask', path: join(homedir(), 'm.png') },
      ],
      answers: 'task',
    });
  });

  it('falls back to the synchronous entry when the other is refused for want of access', () => {
    const refused = driver.toRequest(shot, contextOf());
    const again = fallback(shot, contextOf(), refused, noAccess);
    expect(again).toMatchObject({ operation: 'images.edit', path: '/v1/images/edits', answers: 'json' });
    expect(again?.files).toEqual(refused.files);
  });

  it.each([
    [
      'a path that is not there',
      { httpStatus: 404, message: 'The service returned 404 Not Found: 404 page not found' },
    ],
    ['a route it does not know', { httpStatus: 404, code: 'unknown_route', message: 'Nothing here.' }],
    ['a method it does not take', { httpStatus: 405, code: 'method_not_allowed', message: 'Not allowed.' }],
    ['an entry in words', { httpStatus: 404, message: 'Invalid URL (POST /v1/images/edits/async)' }],
    ['a model without the entry', { httpStatus: 403, code: 'async_unsupported', message: 'The model m is sync only.' }],
    ['nothing at all, under a type', { httpStatus: 404, code: 'not_found', message: 'Not found' }],
    ['a method, under a type', { httpStatus: 405, code: 'invalid_request_error', message: 'Use another method.' }],
    ['a resource it has not found', { httpStatus: 404, code: 'invalid_request_error', message: '资源不存在' }],
    ['an entry that is not enabled', { httpStatus: 400, code: 'async_not_enabled', message: 'Ask your reseller.' }],
    [
      'an entry the account has not',
      { httpStatus: 400, code: 'bad_request', message: 'Your group does not support async.' },
    ],
    ['an entry the model has not', { httpStatus: 400, message: '模型 m 的异步生成未开通' }],
  ])('falls back when the service speaks of %s', (_what, complaint) => {
    const refused = driver.toRequest(shot, contextOf());
    expect(fallback(shot, contextOf(), refused, complaint)?.operation).toBe('images.edit');
  });

  it.each([
    [
      'a model it does not know',
      { httpStatus: 404, code: 'model_not_found', message: 'The model "m" does not exist.' },
    ],
    ['a model without a code', { httpStatus: 404, message: 'The model `m` does not exist' }],
    ['a model that the account may not use', { httpStatus: 403, code: 'model_denied', message: 'No access to m.' }],
    ['nothing but a prohibition', { httpStatus: 403, message: 'The service answered 403 Forbidden with a web page.' }],
    ['the prompt', { httpStatus: 403, code: 'content_policy', message: 'Refused by the content review.' }],
    ['a field, with another status', { httpStatus: 400, message: 'n must be 1 for asynchronous images' }],
    [
      'a value it does not take',
      { httpStatus: 400, message: 'The size 3x3 is not supported for asynchronous images.' },
    ],
    ['a limit of the entry', { httpStatus: 400, message: 'Asynchronous images must not have an n above 4.' }],
    ['a field alone', { httpStatus: 400, code: 'invalid_size', message: 'This size is not available.' }],
    ['a model by its id alone', { httpStatus: 404, code: 'not_found', message: 'm: not found' }],
    ['a model in Chinese', { httpStatus: 404, code: 'not_found', message: '模型不存在' }],
    ['a model, with a method', { httpStatus: 405, code: 'model_method', message: 'Not for this one.' }],
    ['the key', { httpStatus: 401, message: 'asynchronous' }],
  ])('does not fall back when the service speaks of %s', (_what, complaint) => {
    const refused = driver.toRequest(shot, contextOf());
    expect(fallback(shot, contextOf(), refused, complaint)).toBeNull();
  });

  it('does not take the name of a model for a word about the entry', () => {
    const odd = { ...shot, model: 'async-image-1' };
    const complaint = { httpStatus: 404, code: 'not_found', message: 'async-image-1 does not exist' };
    expect(fallback(odd, contextOf(), driver.toRequest(odd, contextOf()), complaint)).toBeNull();
  });

  it('has no other entry after the synchronous one, nor where the settings name one', () => {
    const last = driver.toRequest(shot, contextOf(synchronous));
    expect(fallback(shot, contextOf(synchronous), last, noAccess)).toBeNull();
    const chosen = (imageEntry: string) => contextOf({}, { assumed: { imageEntry } });
    expect(driver.toRequest(shot, chosen('synchronous')).operation).toBe('images.edit');
    const asked = driver.toRequest(shot, chosen('asynchronous'));
    expect(fallback(shot, chosen('asynchronous'), asked, noAccess)).toBeNull();
  });
});

it('varying an image has only the synchronous entry and sends no prompt', () => {
  const shot = shotOf({ kind: 'image', params: { operation: 'variation', image: '/abs/a.png', n: 3 } });
  expect(driver.toRequest(shot, contextOf())).toEqual({
    operation: 'images.vary',
    method: 'POST',
    path: '/v1/images/variations',
    encoding: 'multipart',
    body: { model: 'm', n: 3 },
    files: [{ field: 'image', path: resolve('/abs/a.png') }],
    answers: 'json',
  });
});

it('the operation of a row that names none is an edit where the row has an image, else a generation', () => {
  const operation = (params: ShotSpec['params']) =>
    driver.toRequest(shotOf({ kind: 'image', params }), contextOf()).operation;
  expect(operation({ image: 'a.png' })).toBe('images.editAsync');
  expect(operation({})).toBe('images.generateAsync');
  expect(operation({ operation: 'variation', image: 'a.png' })).toBe('images.vary');
});

describe('an image by another entry', () => {
  const image = (params: ShotSpec['params'], extra: ShotSpec['extra'] = {}) => shotOf({ kind: 'image', params, extra });
  const uploaded = { assets: new Map([['refs/day.JPG', 'Asset://a1']]) };
  const findings = (params: ShotSpec['params'], changes: Partial<ShotSpec> = {}) =>
    findingsOf(shotOf({ kind: 'image', params, ...changes })).map(({ column }) => column);

  it.each([
    ['refs/day.JPG', { mimeType: 'image/jpeg', fileUri: 'Asset://a1' }],
    ['https://a.example/b.webp?x=1', { mimeType: 'image/webp', fileUri: 'https://a.example/b.webp?x=1' }],
    ['Asset://a2', { fileUri: 'Asset://a2' }],
  ])('names its image by address, in a generateContent request: %s', (cell, fileData) => {
    const params = { entry: 'content', image: cell, generation_config: { topK: 3 } };
    expect(driver.toRequest(image(params, { 'seed:json': '7' }), contextOf(uploaded))).toMatchObject({
      path: '/v1beta/models/m:generateContent',
      answers: 'json',
      body: {
        contents: [{ role: 'user', parts: [{ fileData }, { text: 'p' }] }],
        generationConfig: { topK: 3, seed: 7 },
      },
      files: [],
    });
  });

  it('sends messages as they are written, or makes one of the prompt and the image', () => {
    const input = (params: ShotSpec['params']) =>
      driver.toRequest(image({ entry: 'messages', ...params }), contextOf(uploaded)).body['input'];
    const messages = [{ role: 'user', content: [{ text: 'a' }] }];
    expect(input({ messages })).toEqual({ messages });
    expect(input({})).toEqual({ messages: [{ role: 'user', content: 'p' }] });
    expect(input({ image: 'refs/day.JPG' })).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'Asset://a1' } },
            { type: 'text', text: 'p' },
          ],
        },
      ],
    });
  });

  it.each<[ShotSpec['params'], Partial<ShotSpec>, string[]]>([
    [{ system: 'x', messages: [] }, {}, ['system', 'messages']],
    [{ entry: 'content', n: 2, size: '64x64', aspect_ratio: '1:1' }, {}, ['n', 'size', 'aspect_ratio']],
    [{ entry: 'content', mask: 'm.png', image: 'a.png' }, {}, ['mask']],
    [{ entry: 'content', operation: 'variation', image: 'a.png' }, {}, ['operation']],
    [{ entry: 'content', operation: 'edit' }, {}, ['image']],
    [{ entry: 'content', generation_config: { seed: 1 } }, { extra: { seed: '2' } }, ['param.seed']],
    [{ entry: 'messages', n: 2, system: 'x' }, {}, ['n', 'system']],
    [{ entry: 'messages', messages: [{ role: 'user', content: 'a' }], image: 'a.png' }, {}, ['prompt', 'image']],
    [{ entry: 'messages' }, { extra: { 'input:json': '{}' } }, ['param.input:json']],
    [{ entry: 'messages', size: '64x64' }, {}, []],
  ])('is refused what it has no field for: %j with %j', (params, changes, columns) => {
    expect(findings(params, changes)).toEqual(columns);
  });
});

describe('typography', () => {
  const image = 'refs/poster.png';
  const words = { aspect_ratio: '16:9', rendering_speed: 'TURBO', style_type: 'DESIGN' };
  const context = contextOf({ assets: new Map([[image, 'Asset://a1']]) });
  const typography = (given: Partial<ShotSpec>) => shotOf({ kind: 'image', model: 'typo', ...given });

  it.each([
    ['typo_generate', '/typo/generate', words, { prompt: 'p', ...words }],
    ['typo_remix', '/typo/remix', { ...words, image }, { prompt: 'p', ...words, image_url: 'Asset://a1' }],
    ['typo_upscale', '/typo/upscale', { image }, { image_url: 'Asset://a1' }],
  ])('%s sends no model, and pictures by address', (operation, path, params, body) => {
    const request = driver.toRequest(typography({ params: { operation, ...params } }), context);
    expect(request).toMatchObject({ path, answers: 'json', encoding: 'json', files: [] });
    expect(request.body).toEqual(body);
  });

  it('sends further fields as they are written', () => {
    const extra = { magic: 'ON', image: 'https://cdn.example/a.png' };
    const { body } = driver.toRequest(typography({ params: { operation: 'typo_remix' }, extra }), context);
    expect(body).toEqual({ prompt: 'p', ...extra });
  });

  const findings = (params: ShotSpec['params'], given: Partial<ShotSpec> = {}) =>
    findingsOf(typography({ params, ...given })).map(({ severity, column }) => `${severity} ${column}`);

  it('refuses cells that would not be sent, and pictures that are missing', () => {
    expect(findings({ operation: 'typo_generate', image, n: 2 })).toEqual(['error image', 'error n']);
    expect(findings({ operation: 'typo_remix', entry: 'content' })).toEqual(['error entry', 'error image']);
    expect(findings({ operation: 'typo_upscale', image, ...words })).toEqual([
      ...['error aspect_ratio', 'error rendering_speed', 'error style_type', 'warning prompt'],
    ]);
    expect(findings({ operation: 'generate', style_type: 'DESIGN' })).toEqual(['error style_type']);
  });

  it('takes a picture that a further field names', () => {
    expect(findings({ operation: 'typo_remix' }, { extra: { image: 'https://cdn.example/a.png' } })).toEqual([]);
  });
});

describe('a job-style image', () => {
  const params = { operation: 'imagine' };

  it('is sent to the path of its action, which is a setting', () => {
    const shot = shotOf({ kind: 'image', params, extra: { state: 'mine' } });
    const request = driver.toRequest(shot, contextOf({}, { paths: { jobSubmit: '/mj/{action}/new' } }));
    expect(request).toMatchObject({ path: '/mj/imagine/new', answers: 'task', encoding: 'json' });
    expect(request.body).toEqual({ model: 'm', prompt: 'p', state: 'mine' });
    expect(driver.toRequest(shot, contextOf()).path).toBe('/jobimg/submit/imagine');
  });

  it('carries the id of its attempt, unless the row has a state of its own', () => {
    const body = (extra: ShotSpec['extra']) =>
      driver.toRequest(shotOf({ kind: 'image', params, extra }), contextOf({ attemptId: 'attempt-1' })).body;
    expect([body({}).state, body({ state: 'mine' }).state]).toEqual(['attempt-1', 'mine']);
  });

  it('is never sent to another entry', () => {
    const shot = shotOf({ kind: 'image', params });
    expect(fallback(shot, contextOf(), driver.toRequest(shot, contextOf()), noAccess)).toBeNull();
  });

  it('blends files that go inside the request, and no others', () => {
    const blend = { operation: 'blend', blend_images: ['a.png', 'b.png'] };
    const shot = shotOf({ kind: 'image', prompt: '', params: blend });
    const request = driver.toRequest(shot, contextOf({}, { assumed: { inlineImages: 'base64' } }));
    expect(request).toMatchObject({ path: '/jobimg/submit/blend', encoding: 'json', body: { model: 'm' } });
    expect(request.files).toEqual([
      { field: 'base64Array', path: '/lists/a.png', as: 'base64' },
      { field: 'base64Array', path: '/lists/b.png', as: 'base64' },
    ]);
    const errors = (params: ShotSpec['params']) =>
      findingsOf(shotOf({ kind: 'image', params })).map(({ column }) => column);
    expect(errors(blend)).toEqual([]);
    expect(errors({ ...blend, blend_images: ['a.png'] })).toEqual(['blend_images']);
    expect(errors({ ...blend, operation: 'typo_generate' })).toEqual(['blend_images']);
    expect(errors({ ...blend, operation: 'generate' })).toEqual(['blend_images']);
  });

  it('imagines beside files, too, and names no model where the row has none', () => {
    const shot = shotOf({ kind: 'image', model: 'jobimg', params: { ...params, blend_images: ['a.png'] } });
    const request = driver.toRequest(shot, contextOf());
    expect(request.body).toEqual({ prompt: 'p' });
    expect(request.files).toEqual([{ field: 'base64Array', path: '/lists/a.png', as: 'data_url' }]);
    const errors = (blend_images: string[]) => findingsOf({ ...shot, params: { ...params, blend_images } }).length;
    expect([1, 10, 11].map((count) => errors(Array.from({ length: count }, () => 'a.png')))).toEqual([0, 0, 1]);
  });

  it('presses a button by its id and the task it belongs to, and needs both', () => {
    const action = { operation: 'action', action_task: 'task-1', button: 'job::reroll' };
    const shot = shotOf({ kind: 'image', params: action });
    expect(driver.toRequest(shot, contextOf()).body).toEqual({ model: 'm', customId: 'job::reroll', taskId: 'task-1' });
    const errors = (changed: ShotSpec['params']) =>
      findingsOf(shotOf({ kind: 'image', params: changed })).flatMap(({ severity, column }) =>
        severity === 'error' ? [column] : [],
      );
    expect(errors(action)).toEqual([]);
    expect(errors({ operation: 'action' })).toEqual(['action_task', 'button']);
    expect(errors({ ...action, operation: 'imagine' })).toEqual(['action_task', 'button']);
  });

  it('is asked for at its own path, and read from its own fields', () => {
    const { settings } = contextOf();
    expect(taskPathFor({ kind: 'image', params }, 'a/b', settings)).toBe('/jobimg/task/a%2Fb/fetch');
    const urls = ['https://a.example/1.png', 'https://a.example/2.png'];
    expect(resultsRead('image', { status: 'SUCCESS', imageUrl: urls[0] ?? '', imageUrls: urls })).toEqual(urls);
  });

  it('takes no cell that its entry has no field for', () => {
    const shot = shotOf({ kind: 'image', params: { ...params, image: 'a.png', n: 4, entry: 'content' } });
    expect(findingsOf(shot).map(({ column }) => column)).toEqual(['image', 'n', 'entry']);
  });
});

it('asks for image tasks where images are', () => {
  expect(taskPathFor(shotOf({ kind: 'image' }), 't', contextOf().settings)).toBe('/v1/images/tasks/t');
});
