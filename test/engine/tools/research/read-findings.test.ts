import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPage, readSearch } from '../../../../src/engine/tools/research/research.ts';

const answer = (value: unknown): Buffer => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const item = { title: 'Tides', url: 'https://sea.example/tides', snippet: 'High at noon.' };
const finding = { title: 'Tides', url: 'https://sea.example/tides', text: 'High at noon.', images: [] };

describe('the answer of a web search', () => {
  it.each([
    ['a list', [item]],
    ['results', { results: [item] }],
    ['wrapped data', { code: '0', data: { webPages: { value: [item] } } }],
    ['other names', { items: [{ name: 'Tides', link: item.url, content: item.snippet }] }],
  ])('is read as %s', (_form, value) => {
    expect(readSearch(answer(value))).toEqual([finding]);
  });

  it('has pictures and dates where they are given', () => {
    const images = ['https://sea.example/a.png', { url: 'https://sea.example/b.png' }, 'javascript:alert(1)'];
    expect(readSearch(answer([{ ...item, images, publishedDate: '2026-03-01' }]))).toEqual([
      { ...finding, images: ['https://sea.example/a.png', 'https://sea.example/b.png'], date: '2026-03-01' },
    ]);
  });

  it('may be a text alone, or nothing found', () => {
    expect(readSearch(answer('High at noon.'))).toEqual([{ ...finding, title: '', url: '' }]);
    expect(readSearch(answer({ data: 'High at noon.' }))).toEqual([{ ...finding, title: '', url: '' }]);
    expect(readSearch(answer({ results: [] }))).toEqual([]);
    expect(readSearch(answer({ code: 0 }))).toBeNull();
    expect(readSearch(answer(''))).toBeNull();
  });

  it('never gives an address that is not of the web, or a control character, and is bounded', () => {
    const text = fc.string({ unit: 'binary' });
    const items = fc.array(fc.record({ title: text, url: fc.oneof(fc.webUrl(), text), content: text, image: text }));
    fc.assert(
      fc.property(fc.oneof(items, fc.jsonValue()), (value) => {
        for (const found of readSearch(answer(value)) ?? []) {
          for (const url of [...found.images, ...(found.url === '' ? [] : [found.url])]) {
            expect(url).toMatch(/^https?:/);
          }
          expect(found.title + found.text).not.toMatch(/[^\P{Cc}\n\t]/u);
        }
      }),
    );
    const many = readSearch(answer(Array.from({ length: 500 }, () => ({ title: 'x'.repeat(5000) }))));
    expect(many?.length).toBe(50);
    expect(many?.[0]?.title.length).toBe(500);
  });
});

describe('the answer of a page reader', () => {
  const url = 'https://sea.example/tides';

  it.each([
    ['a text', '# Tides\nHigh at noon.'],
    ['a field', { content: '# Tides\nHigh at noon.' }],
    ['wrapped', { code: '0', data: { markdown: '# Tides\nHigh at noon.' } }],
    ['a text as data', { data: '# Tides\nHigh at noon.' }],
  ])('is read as %s', (_form, value) => {
    expect(readPage(answer(value), url)).toEqual([{ title: url, url, text: '# Tides\nHigh at noon.', images: [] }]);
  });

  it('is nothing without a text', () => {
    expect(readPage(answer({ data: {} }), url)).toBeNull();
    expect(readPage(answer(''), url)).toBeNull();
  });
});
