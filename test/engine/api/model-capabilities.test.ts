import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/contract/json.ts';
import { readCapabilities } from '../../../src/engine/api/resources/models.ts';

describe('what a model record says of the model', () => {
  it.each<[string, JsonObject, object]>([
    ['lists of its own', { sizes: ['1024x1024'], durations: [5, 10] }, { size: ['1024x1024'], duration: ['5', '10'] }],
    [
      'supported lists',
      { supported_sizes: ['720p'], supportedAspectRatios: ['16:9'] },
      { size: ['720p'], aspect_ratio: ['16:9'] },
    ],
    ['an object', { capabilities: { resolutions: ['480p'] } }, { resolution: ['480p'] }],
    ['an object of objects', { capabilities: { video: { duration: { min: 4, max: 15 } } } }, { duration: ['4-15'] }],
    ['a list of objects', { parameters: [{ name: 'size', enum: ['720p'] }] }, { size: ['720p'] }],
    ['flags by value', { supported_resolutions: { '480p': true, '720p': false } }, { resolution: ['480p'] }],
    ['several places', { sizes: ['480p'], limits: { sizes: ['720p', '480p'] } }, { size: ['480p', '720p'] }],
    ['a list of words', { capabilities: ['generate', 'image-edit', 'vision'] }, { operation: ['generate', 'edit'] }],
    ['flags', { capabilities: { editing: true, variation: false } }, { operation: ['generate', 'edit'] }],
    ['a flag of its own', { supports_editing: false }, { operation: ['generate'] }],
    ['endpoints', { supported_endpoint_types: ['image-edits'] }, { operation: ['edit'] }],
    [
      'formats',
      { output_formats: ['png'], response_formats: ['url'] },
      { output_format: ['png'], response_format: ['url'] },
    ],
  ])('is read from %s', (_shape, said, expected) => {
    expect(readCapabilities({ id: 'm', object: 'model', ...said })).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ['nothing', {}],
    ['endpoints that name no operation', { supported_endpoint_types: ['openai', 'image-generation'] }],
    ['words of another kind', { capabilities: ['chat', 'vision'] }],
    ['single values, which are defaults or facts', { size: 7_000_000, duration: 5, resolution: '720p' }],
    ['prices', { pricing: { sizes: ['720p'] } }],
    ['a list that is only half readable', { sizes: ['720p', { width: 3 }], supported_sizes: ['480p'] }],
    ['texts that are no values', { sizes: ['\u001b[31m', '720p'] }],
    ['a value as long as a novel', { sizes: ['x'.repeat(1000)] }],
    ['a list without end', { sizes: Array.from({ length: 101 }, (_, n) => `${n}p`) }],
    ['too much', { sizes: ['720p'], limits: Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`a${n}`, n])) }],
    ['what lies too deep', { limits: { a: { b: { c: { d: { e: { sizes: ['720p'] } } } } } } }],
    ['null', { sizes: null, capabilities: null, operations: null }],
  ])('is nothing, without a word, where there is %s', (_shape, said) => {
    expect(readCapabilities({ id: 'm', ...said })).toEqual({});
  });

  it('is short and readable, whatever the service sends @night', () => {
    const name = fc.constantFrom('sizes', 'capabilities', 'duration', 'min', 'max', 'values', 'edit', 'name', 'x');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.dictionary(name, tie('json')),
        fc.array(tie('json')),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(name, json), (said) => {
        for (const values of Object.values(readCapabilities(said as JsonObject))) {
          expect(values.length).toBeLessThanOrEqual(100);
          for (const value of values) expect(value).toMatch(/^[\p{L}\p{N} ._:/×*~+-]{1,60}$/u);
        }
      }),
    );
  });
});
