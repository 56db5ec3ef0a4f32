import { expect, it } from 'vitest';
import { isStrangeFolder } from '../../../src/engine/kinds/media-reference.ts';

it.each([
  [String.raw`\\host\share\lists`, String.raw`D:\film`, true],
  [String.raw`\\host\share\lists`, String.raw`\\nas\film`, true],
  [String.raw`\\NAS\lists`, String.raw`\\nas\film`, false],
  ['//host/share', '/film', true],
  [String.raw`\\?\C:\lists`, String.raw`\\?\D:\film`, true],
  [String.raw`C:\lists\nul`, String.raw`C:\film`, true],
  [String.raw`C:\lists`, String.raw`C:\film`, false],
  ['/lists', '//nas/film', false],
])(
  'the list folder %s of a project at %s is looked at only if the project is on its machine',
  (folder, project, is) => {
    expect(isStrangeFolder(folder, project)).toBe(is);
  },
);
