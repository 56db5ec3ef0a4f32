import { expect, it } from 'vitest';
import { UploadTarget } from '../../../src/contract/asset.ts';
import {
  ANY_MODEL,
  DEFAULT_GROUP,
  isMedium,
  targetFor,
  roleWord,
  uploadRoles,
} from '../../../src/renderer/views/library/roles.ts';

const nothingSaid = { role: 'auto', model: ANY_MODEL, group: DEFAULT_GROUP };

it('uploads each file as what its kind is mostly used for', () => {
  expect(targetFor(nothingSaid, 'image/png')).toEqual({ role: 'reference_image', type: 'image' });
  expect(targetFor(nothingSaid, 'video/mp4')).toEqual({ role: 'reference_video', type: 'video' });
  expect(targetFor(nothingSaid, 'audio/wav')).toEqual({ role: 'reference_audio', type: 'audio' });
});

it('leaves the type of an unknown file to the engine', () => {
  expect(targetFor(nothingSaid, '')).toEqual({});
});

it('names model and group only where they were chosen', () => {
  expect(targetFor({ role: 'first_frame', model: 'vgen-2.0-cl', group: 'group_7' }, 'image/png')).toEqual({
    role: 'first_frame',
    type: 'image',
    model: 'vgen-2.0-cl',
    group: 'group_7',
  });
});

it('offers only roles that the service knows', () => {
  expect(roleWord('video_reference')).toBe(roleWord('reference_video'));
  for (const { name } of uploadRoles) {
    expect(UploadTarget.safeParse(targetFor({ ...nothingSaid, role: name }, '')).success).toBe(true);
  }
});

it('knows what no shot can use: a list, a document, an archive', () => {
  const medium = (name: string, type: string) => isMedium({ name, type });
  expect(medium('pier.png', 'image/png')).toBe(true);
  expect(medium('pier.mkv', '')).toBe(true);
  expect(medium('shots400.csv', 'text/csv')).toBe(false);
  expect(medium('shots400.csv', '')).toBe(false);
  expect(medium('deck.pdf', 'application/pdf')).toBe(false);
});
