import { describe, expect, it } from 'vitest';
import { Settings } from '../../src/contract/settings.ts';
import { toOrigin } from '../../src/engine/api/address.ts';
import {
  keyInWords,
  problemOfAddress,
  storedAddress,
  toPrices,
  toRow,
} from '../../src/renderer/views/settings/parse.ts';
import { numberText, parseNumber } from '../../src/renderer/lib/format.ts';
import { t } from '../../src/contract/messages/words.ts';

describe('numbers in settings', () => {
  it.each([
    ['4', 4],
    [' 2,5 ', 2.5],
    ['1 000', 1000],
    ['0.25', 0.25],
  ])('reads %j', (text, value) => {
    expect(parseNumber(text, { min: 0 })).toEqual({ ok: true, value });
  });

  it.each([
    ['', {}, t('settings.numberMissing')],
    ['many', {}, t('settings.notANumber', { text: 'many' })],
    ['2.5', { whole: true }, t('settings.wholeNumber')],
    ['0', { above: true }, t('settings.numberAbove', { min: 0 })],
    ['-1', {}, t('settings.numberFrom', { min: 0 })],
    ['Infinity', {}, t('settings.notANumber', { text: 'Infinity' })],
  ])('says what is wrong with %j', (text, rule, problem) => {
    expect(parseNumber(text, { min: 0, ...rule })).toEqual({ ok: false, problem });
  });

  it('shows no digits that only rounding made', () => {
    expect(numberText(0.1 + 0.2)).toBe('0.3');
  });
});

describe('the address of the service', () => {
  it.each(['', 'https://gateway.example.com', 'https://example.com/prefix', 'http://127.0.0.1:8080'])(
    'takes %j',
    (address) => {
      expect(problemOfAddress(address)).toBeNull();
    },
  );

  it.each([
    ['https://example.com/v1', 'https://example.com'],
    [' https://example.com/prefix/v1// ', 'https://example.com/prefix'],
    ['HTTPS://Example.com/', 'https://example.com'],
    ['https://example.com/v1beta', 'https://example.com/v1beta'],
    ['', ''],
  ])('%j is the same one as %j', (typed, stored) => {
    expect(storedAddress(typed)).toBe(stored);
    if (typed !== '') expect(toOrigin(typed)).toBe(stored);
  });

  it.each([
    'gateway.example.com',
    'ftp://example.com',
    'https://',
    'https://me:secret@example.com',
    'https://e.com/?a=1',
  ])('explains what is wrong with %j and never repeats it', (address) => {
    const problem = problemOfAddress(address);
    expect(problem).not.toBeNull();
    expect(problem).not.toContain('secret');
  });
});

it('the key is never called stored without the address it is for, when that is another one', () => {
  expect(keyInWords({ present: true, from: 'file' })).toContain('a file that only you can read');
  const words = keyInWords({ present: true, from: 'file', keptFor: 'https://wrong.example' });
  expect(words).toContain('was set for https://wrong.example');
  expect(words).toContain('Enter the key of this address.');
  const given = keyInWords({ present: true, from: 'environment', keptFor: 'https://wrong.example' });
  expect(given).toContain('was given for https://wrong.example');
  expect(given).toContain('Start Dailies again');
});

describe('the price table', () => {
  it('gives back the stored prices unchanged, in their order', () => {
    const { prices } = Settings.parse({
      prices: [
        { model: 'vgen-2.0-*', per: 'second', price: 0.12 },
        { model: '*', per: 'take', price: 1e-7 },
      ],
    });
    expect(toPrices(prices.map(toRow))).toEqual({ ok: true, prices });
  });

  it('leaves out a line that is still empty', () => {
    expect(toPrices([toRow(null)])).toEqual({ ok: true, prices: [] });
  });

  it('names the line that lacks a model or a price, and saves none', () => {
    const fine = toRow({ model: 'a', per: 'take', price: 1 });
    const noModel = { ...toRow(null), price: '2' };
    const noPrice = { ...toRow(null), model: 'b' };
    const parsed = toPrices([fine, noModel, noPrice]);
    expect(parsed.ok).toBe(false);
    expect(parsed.ok ? [] : [...parsed.problems.keys()]).toEqual([noModel.id, noPrice.id]);
  });
});
