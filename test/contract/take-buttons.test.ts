import { expect, it } from 'vitest';
import { buttonsCalled } from '../../src/contract/take.ts';

const buttons = [
  { customId: 'a::1', label: 'Vary', emoji: '🪄' },
  { customId: 'a::2', label: 'Vary', emoji: '' },
  { customId: 'a::3', label: '', emoji: '🔄' },
  { customId: 'Zoom', label: 'Zoom', emoji: '' },
  { customId: 'a::4', label: 'zoom', emoji: '' },
];
const called = (text: string) => buttonsCalled(text, buttons).map(({ customId }) => customId);

it('a button is meant by its label or its emoji, and one that its label alone does not name by its id', () => {
  expect(called(' 🔄 ')).toEqual(['a::3']);
  expect(called('🪄 vary')).toEqual(['a::1']);
  expect(called('VARY')).toEqual(['a::1', 'a::2']);
  expect(called('A::2')).toEqual(['a::2']);
  // What pressing it in review has written.
  expect(called('Zoom')).toEqual(['Zoom']);
  expect(called('')).toEqual([]);
});
