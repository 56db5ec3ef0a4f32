import { join, resolve } from 'node:path';
import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { driverOf } from '../../../src/engine/kinds/index.ts';
import { contextOf, shotOf } from './support.ts';

const driver = driverOf('image');
const synchronous = { asyncImages: false };

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
    expect(request).toMatchObject({ operation: 'images.generate', path: '/v1/images/generations', answers: 'answer' });
    expect(request.body).toEqual({ model: 'm', prompt: 'p', ...params });
  });

  it('never goes round the asynchronous entry with a resolution, which only that one has', () => {
    const shot = shotOf({ kind: 'image', params: { resolution: '2K' } });
    const request = driver.toRequest(shot, contextOf(synchronous));
    expect(request.operation).toBe('images.generateAsync');
    expect(driver.fallback(shot, contextOf(), request, 403)).toBeNull();
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
    const again = driver.fallback(shot, contextOf(), refused, 403);
    expect(again).toMatchObject({ operation: 'images.edit', path: '/v1/images/edits', answers: 'answer' });
    expect(again?.files).toEqual(refused.files);
    expect(driver.fallback(shot, contextOf(), refused, 404)?.operation).toBe('images.edit');
  });

  it('does not try again what was refused for itself, or has no other entry', () => {
    const refused = driver.toRequest(shot, contextOf());
    for (const status of [400, 401, 422]) expect(driver.fallback(shot, contextOf(), refused, status)).toBeNull();
    const last = driver.toRequest(shot, contextOf(synchronous));
    expect(driver.fallback(shot, contextOf(synchronous), last, 403)).toBeNull();
  });
});

describe('varying an image', () => {
  it('has only the synchronous entry and sends no prompt', () => {
    const shot = shotOf({ kind: 'image', params: { operation: 'variation', image: '/abs/a.png', n: 3 } });
    expect(driver.toRequest(shot, contextOf())).toEqual({
      operation: 'images.vary',
      method: 'POST',
      path: '/v1/images/variations',
      encoding: 'multipart',
      body: { model: 'm', n: 3 },
      files: [{ field: 'image', path: resolve('/abs/a.png') }],
      answers: 'answer',
    });
  });
});

it('asks for image tasks where images are', () => {
  expect(driver.taskPath('t', contextOf().settings)).toBe('/v1/images/tasks/t');
});
