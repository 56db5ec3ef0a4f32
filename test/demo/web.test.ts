import { describe, expect, it } from 'vitest';
import { startBench, type Bench, type Reply } from './support.ts';

const search = (bench: Bench, fields: object) => bench.post('/v1/web-search', { query: 'lighthouse lens', ...fields });
const read = (bench: Bench, fields: object) =>
  bench.post('/v1/web-reader', { url: 'https://lights.example/fresnel', ...fields });

interface Found {
  url: string;
  images?: { url: string }[];
}
const found = ({ json }: Reply): Found[] => (json.data as { results: Found[] }).results;
const urls = (reply: Reply): string[] => found(reply).map(({ url }) => url);
const contentOf = ({ json }: Reply): string => (json.data as { content: string }).content;

describe('a web search', () => {
  it('finds what is nearest first, the same each time, and is billed', async () => {
    const bench = await startBench();
    const reply = await search(bench, {});
    expect(urls(reply)[0]).toBe('https://lights.example/fresnel');
    expect(urls(reply)).toContain('https://lights.example/keepers');
    expect(urls(await search(bench, {}))).toEqual(urls(reply));
    expect(urls(await search(bench, { query: 'zzz' }))).toEqual([]);
    expect(bench.service.ledger.commits).toBe(3);
  });

  it('is held to an area, an age and a page', async () => {
    const bench = await startBench();
    expect(urls(await search(bench, { query: '灯塔', area: 'cn' }))).toEqual(['https://dengta.example/changming']);
    expect(urls(await search(bench, { freshness: 'Day' }))).toEqual(['https://lights.example/fresnel']);
    const [, second] = urls(await search(bench, {}));
    expect(urls(await search(bench, { page: 2, count: 1 }))).toEqual([second]);
  });

  it('brings pictures that can be fetched, or a text', async () => {
    const bench = await startBench();
    const [first] = found(await search(bench, { includeImages: true }));
    const picture = await fetch(first?.images?.[0]?.url ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    const { json } = await search(bench, { format: 'md' });
    expect(json.data).toMatch(/^- \[How a Fresnel lens throws its light\]\(https:\/\/lights\.example\/fresnel\): /);
  });
});

it('a web reader reads a page as Markdown or as plain text, whole or in part', async () => {
  const bench = await startBench();
  const whole = contentOf(await read(bench, {}));
  expect(whole).toMatch(/^# How a Fresnel lens throws its light\n\nHome · .*\n\nA lighthouse lens/);
  expect(whole).toMatch(/!\[A first-order Fresnel lens\]\(http:\/\/127\.0\.0\.1:\d+\/web\/0\/2\.png\)\n\n## On film/);
  expect(contentOf(await read(bench, { includeImages: false }))).not.toContain('![');
  expect(contentOf(await read(bench, { liteMode: true }))).not.toMatch(/Home ·|!\[/);
  const plain = contentOf(await read(bench, { format: 'txt', onlyCSSSelectors: ['h2'] }));
  expect(plain).toBe('How a Fresnel lens throws its light\n\nOn film');
});
