import { awakeWords } from '../../../src/renderer/views/queue/overview/words.ts';
import { expect, it } from 'vitest';

it('says who keeps the computer awake, and where nobody does what that comes to', () => {
  expect(awakeWords(true).word).toBe('Computer kept awake');
  expect(awakeWords(false).word).toBe('Computer may sleep');
  expect(awakeWords(null).word).toBe('This computer may sleep');
  expect(awakeWords(null).meaning).toContain('Only the desktop app');
});
