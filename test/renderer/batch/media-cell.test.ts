import { describe, expect, it } from 'vitest';
import type { DraftColumn } from '../../../src/contract/batch.ts';
import { parameterFor } from '../../../src/renderer/views/batch/draft/columns.ts';
import {
  isAssetReference,
  mediaTakenBy,
  namesIn,
  picturesIn,
  withReference,
  withoutName,
} from '../../../src/renderer/lib/shot-form/media-cell.ts';

const column = (header: string): DraftColumn => ({ header, column: header, isExtra: false });
const parameter = (header: string) => parameterFor(column(header), 'video');

describe('assets in the cells of a list', () => {
  it('go only where media are named', () => {
    expect(mediaTakenBy(column('first_frame'), parameter('first_frame'))).toBe('image');
    expect(mediaTakenBy(column('reference_videos'), parameter('reference_videos'))).toBe('video');
    expect(mediaTakenBy(column('prompt'), parameter('prompt'))).toBeNull();
    expect(mediaTakenBy({ header: 'param.seed', column: 'param.seed', isExtra: true }, null)).toBe('any');
  });

  it('take the place of the one before, and join a list of several', () => {
    expect(withReference('Asset://a', 'Asset://b', parameter('first_frame'))).toBe('Asset://b');
    expect(withReference('', 'Asset://b', parameter('reference_images'))).toBe('Asset://b');
    expect(withReference('Asset://a ', 'Asset://b', parameter('reference_images'))).toBe('Asset://a; Asset://b');
  });

  it('are taken out one by one, and a single one as a whole', () => {
    const references = parameterFor(column('reference_images'), 'video');
    const frame = parameterFor(column('first_frame'), 'video');
    if (!references || !frame) throw new Error('There are no such parameters.');
    expect(namesIn(' Asset://a;b.png | \n', references)).toEqual(['Asset://a', 'b.png']);
    expect(namesIn('a; b.png', frame)).toEqual(['a; b.png']);
    expect(withoutName('Asset://a;b.png | Shot://010', 'b.png', references)).toBe('Asset://a; Shot://010');
    expect(withoutName('b.png', 'b.png', frame)).toBe('');
  });

  it('are shown with the shots and local pictures that a cell names, a few of each cell, and only where media are named', () => {
    const named = (cell: string, header: string) =>
      picturesIn(cell, column(header), parameter(header)).map((picture) => `${picture.of} ${picture.name}`);
    expect(named('Shot://010/2; Asset://a|shot://Shot 3', 'reference_images')).toEqual([
      'shot 010/2',
      'asset a',
      'shot Shot 3',
    ]);
    expect(named('Shot://', 'first_frame')).toEqual([]);
    // Twice in a cell is once on screen, however it is written.
    expect(named('Asset://a; "still.png" | asset://b;asset://a;still.png', 'reference_images')).toEqual([
      'asset a',
      'file still.png',
      'asset b',
    ]);
    expect(named('refs\\boat.JPG', 'first_frame')).toEqual(['file refs\\boat.JPG']);
    expect(named('clip.mp4; notes.png.txt', 'reference_images')).toEqual([]);
    expect(named('still.png', 'prompt')).toEqual([]);
    expect(named('Asset://a', 'prompt')).toEqual([]);
    expect(named('https://cdn.example/a.png', 'first_frame')).toEqual([]);
    expect(
      named(Array.from({ length: 5000 }, (_none, at) => `Asset://${at}`).join(';'), 'reference_images'),
    ).toHaveLength(4);
    expect(named(`Asset://${'x'.repeat(5000)}`, 'first_frame')).toEqual([]);
  });

  it('are named once in a list', () => {
    expect(withReference('Asset://a | Asset://b', 'Asset://b', parameter('reference_images'))).toBe(
      'Asset://a | Asset://b',
    );
  });

  it('are told from other dropped text', () => {
    expect(isAssetReference(' Asset://asset_12\n')).toBe(true);
    expect(isAssetReference('https://example.com/a.png')).toBe(false);
    expect(isAssetReference('two words of Asset://a')).toBe(false);
  });
});
