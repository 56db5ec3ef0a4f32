import { describe, expect, it } from 'vitest';
import { ReadPageRequest, SearchRequest } from '../../../src/contract/tool.ts';
import {
  emptyForm,
  toHost,
  toNote,
  notesColumn,
  toPage,
  searchFor,
  webAddress,
  withNote,
} from '../../../src/renderer/views/research/texts.ts';

describe('what is asked of the web', () => {
  it('has the fields of the form, and none for what was not chosen', () => {
    const { values } = emptyForm('search');
    const chosen = { ...values, area: 'cn', freshness: 'Week', count: '20' };
    const asked = searchFor({ about: ' tides ', values: chosen }, 2);
    expect(asked).toEqual({ query: 'tides', area: 'cn', freshness: 'Week', count: 20, page: 2, includeImages: true });
    expect(searchFor({ about: 'tides', values }, 1)).not.toHaveProperty('freshness');
    expect(SearchRequest.safeParse(asked).success).toBe(true);
  });

  it('names the parts of a page by its selectors, which may hold commas', () => {
    const { values } = emptyForm('read');
    const chosen = { ...values, onlyCSSSelectors: ':is(h2, p); ;article', liteMode: true };
    const asked = toPage({ about: 'lights.example/a', values: chosen });
    expect(asked).toEqual({
      ...{ url: 'https://lights.example/a', format: 'markdown', liteMode: true, includeImages: true },
      onlyCSSSelectors: [':is(h2, p)', 'article'],
    });
    expect(ReadPageRequest.safeParse(asked).success).toBe(true);
  });

  it.each([
    ['https://lights.example', 'https://lights.example/'],
    ['lights.example', 'https://lights.example/'],
    ['HTTP://lights.example/a', 'http://lights.example/a'],
    ['', null],
    ['two words', null],
    ['javascript:alert(1)', null],
    ['file:///etc/passwd', null],
    ['mailto:a@lights.example', null],
    ['https://', null],
  ])('takes %j for the address %j', (typed, address) => {
    expect(webAddress(typed)).toBe(address);
  });

  it('names a page by its host', () => {
    expect(toHost('https://lights.example:8443/a')).toBe('lights.example:8443');
    expect(toHost('')).toBe('');
  });
});

describe('a finding in the notes of a row', () => {
  const finding = { title: 'Fresnel', url: 'https://lights.example/a', text: 'A  lens.\n\nBends.', images: [] };

  it('says where it is from and how it begins', () => {
    expect(toNote({ ...finding, date: '2026-01-02' })).toBe(
      'Fresnel, 2026-01-02, https://lights.example/a\nA lens. Bends.',
    );
    expect(toNote({ ...finding, title: finding.url, text: '' })).toBe('https://lights.example/a');
    const long = toNote({ ...finding, text: `${'x'.repeat(599)}😀 and on` });
    expect(long.isWellFormed()).toBe(true);
    expect(long.endsWith('…')).toBe(true);
  });

  it('go below the present ones', () => {
    expect(withNote('Reshoot ', 'Fresnel')).toBe('Reshoot\n\nFresnel');
    expect(withNote('', 'Fresnel')).toBe('Fresnel');
  });

  it('makes a column for itself where the list has none', () => {
    expect(notesColumn([{ column: 'shot' }, { column: 'notes' }])).toEqual({ index: 1, added: [] });
    expect(notesColumn([{ column: 'shot' }, { column: null }])).toEqual({ index: 2, added: ['notes'] });
  });
});
