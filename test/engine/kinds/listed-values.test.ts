import { describe, expect, it } from 'vitest';
import type { Capabilities } from '../../../src/contract/kinds/kind.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { checkListedValues } from '../../../src/engine/kinds/listed-values.ts';
import { shotOf } from './support.ts';

const columnsWarned = (given: Partial<ShotSpec>, listed: Capabilities) =>
  checkListedValues(shotOf({ kind: 'video', model: 'm', ...given }), listed).map(({ column }) => column);

describe('a value that the service does not list for its model', () => {
  it('is a warning that says what is listed, never an error', () => {
    const shot = shotOf({ kind: 'video', model: 'm', params: { size: '1080p' } });
    expect(checkListedValues(shot, { resolution: ['480p', '720p'] })).toEqual([
      {
        severity: 'warning',
        column: 'size',
        problem: expect.saying('This is not among what the service lists for m: 480p, 720p.') as unknown,
        remedy: expect.saying(/^Write a listed value/) as unknown,
      },
    ]);
  });

  it.each<[string, Partial<ShotSpec>, Capabilities, string[]]>([
    ['a size', { params: { size: '1080p' } }, { size: ['720p'] }, ['size']],
    ['the pixels of an image', { kind: 'image', params: { size: '512x512' } }, { size: ['1024×1024'] }, ['size']],
    ['a resolution', { kind: 'image', params: { resolution: '4K' } }, { resolution: ['1k', '2k'] }, ['resolution']],
    ['a ratio', { params: { aspect_ratio: '21:9' } }, { aspect_ratio: ['16:9', '1/1'] }, ['aspect_ratio']],
    ['a length among lengths', { params: { duration: 6 } }, { duration: ['5', '10s'] }, ['duration']],
    ['a length outside a range', { params: { duration: 16 } }, { duration: ['4-15'] }, ['duration']],
    ['an operation', { kind: 'image', params: { operation: 'edit' } }, { operation: ['generate'] }, ['operation']],
    [
      'a format',
      { kind: 'image', params: { response_format: 'b64_json' } },
      { response_format: ['url'] },
      ['response_format'],
    ],
    ['an own field', { extra: { output_format: 'gif' } }, { output_format: ['png'] }, ['param.output_format']],
  ])('is told by its column: %s', (_what, given, listed, expected) => {
    expect(columnsWarned(given, listed)).toEqual(expected);
  });

  it.each<[string, Partial<ShotSpec>, Capabilities]>([
    ['nothing is listed', { params: { size: '1080p', duration: 5 } }, {}],
    ['it is listed, in other letters', { kind: 'image', params: { resolution: '2K' } }, { resolution: ['2k'] }],
    ['it is listed, with another sign', { kind: 'image', params: { size: '1024x768' } }, { size: ['1024×768'] }],
    ['it is listed as a length', { params: { duration: 5 } }, { duration: ['5s', '10s'] }],
    ['it is inside of a range', { params: { duration: 15 } }, { duration: ['4-15'] }],
    ['the length is automatic', { params: { duration: -1 } }, { duration: ['4-15'] }],
    ['the list is in another unit', { params: { size: '720p' } }, { size: ['1280x720'] }],
    ['the list is open', { params: { size: '720p' } }, { size: ['480p', 'any'] }],
    ['an image is generated', { kind: 'image', params: { operation: 'generate' } }, { operation: ['edit'] }],
  ])('is nothing to tell where %s', (_why, given, listed) => {
    expect(columnsWarned(given, listed)).toEqual([]);
  });

  it('is told shortly where the list is long', () => {
    const shot = shotOf({ kind: 'video', model: 'm', params: { duration: 99 } });
    const listed = { duration: Array.from({ length: 20 }, (_, n) => String(n)) };
    expect(checkListedValues(shot, listed)[0]?.problem).saying(/: 0, 1, .*, 11 and 8 more\.$/);
  });
});
