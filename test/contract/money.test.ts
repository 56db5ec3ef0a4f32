import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageFor } from '../../src/contract/messages/message.ts';
import { sayText } from '../../src/contract/messages/words.ts';
import { averageInWords, moneyInWords, moneyMessage, priceInWords } from '../../src/contract/in-words.ts';

describe('an amount of money', () => {
  it.each([
    [3, '3.00 USD'],
    [0.5, '0.50 USD'],
    [1234.5, '1,234.50 USD'],
    [0.135, '0.135 USD'],
    [0.002, '0.002 USD'],
    [0.1 + 0.2, '0.30 USD'],
    [0.000_001, '0.000001 USD'],
    [0.000_000_4, '0.000001 USD'],
    [0, '0.00 USD'],
  ])('of %d is “%s”', (amount, words) => {
    expect(moneyInWords(amount, 'USD')).toBe(words);
  });

  it('has no space after it without a currency, and is a part of other messages', () => {
    expect(moneyInWords(0.002, '')).toBe('0.002');
    const price = moneyMessage(0.002, 'EUR');
    expect(sayText(messageFor('common.beingSent', { price }))).toBe('0.002 EUR being sent');
  });

  it('reads as the amount it is, to the millionth, whatever it is', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), (micros) => {
        const words = moneyInWords(micros / 1_000_000, '').replaceAll(',', '');
        expect(Math.round(Number(words) * 1_000_000)).toBe(micros);
        expect(words).toMatch(/^\d+\.\d{2,6}$/);
      }),
    );
  });

  it('is free where it is the price of something and nothing', () => {
    expect([priceInWords(0, 'USD'), priceInWords(0.002, 'USD')]).toEqual(['free', '0.002 USD']);
  });
});

it.each([
  [2 / 3, '0.667 USD'],
  [0.001 / 3, '0.000333 USD'],
  [10 / 3, '3.33 USD'],
  [0.135, '0.135 USD'],
  [0, '0.00 USD'],
])('an average of %d has no more digits than say something: “%s”', (amount, words) => {
  expect(averageInWords(amount, 'USD')).toBe(words);
});
