import { z } from 'zod';
import { jsonAnswer, Refusal, type Answer, invalid } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import { embeddingOf } from '../embedding.ts';
import { stillOf } from '../media/scenery.ts';
import type { ServiceParts } from '../service-parts.ts';
import { pictureUrl, WEB, type WebPage } from '../web/pages.ts';
import { commitTool } from './create-task.ts';
import { parseFields } from './fields.ts';
import { publicUrl } from './references.ts';
import { get, post, type Route } from './route.ts';

/**
 * Web search and web reader over a small made-up web. The reference shows their fields; their paths are assumed, and
 * the results are in the `data` of its generic JSON response: an object, or a text in the text formats.
 */
export const webRoutes: Route[] = [
  post('/v1/web-search', search),
  post('/v1/web-reader', read),
  get('/web/:page/:file', (_call, _parts, params) => picture(params), { open: true }),
];

const DAYS = { Day: 1, Week: 7, Month: 31, Year: 366 };
const DAY_MS = 86_400_000;
/** Less in common than this is chance. */
const LEAST_LIKENESS = 0.12;

const searchFields = z.object({
  query: z.string().trim().min(1, 'it must not be empty'),
  area: z.enum(['global', 'cn']).default('global'),
  freshness: z.enum(['Day', 'Week', 'Month', 'Year']).optional(),
  includeImages: z.boolean().default(false),
  page: z.number().int().min(1, 'it must be at least 1').default(1),
  count: z.number().int().min(1, 'it must be 1 to 50').max(50, 'it must be 1 to 50').default(10),
  format: z.enum(['json', 'markdown', 'md', 'text', 'txt']).default('json'),
});

function search(call: Call, parts: ServiceParts): Answer {
  const fields = parseFields(searchFields, jsonObject(call), parts);
  commitTool(call, parts);
  const { query, area, freshness, page, count } = fields;
  const youngest = freshness === undefined ? Infinity : DAYS[freshness];
  const wanted = embeddingOf(query, 512);
  const found = WEB.filter((each) => each.area === area && each.age < youngest)
    .map((each) => ({
      each,
      likeness: likeness(wanted, embeddingOf(`${each.title} ${each.title} ${wordsOf(each)}`, 512)),
    }))
    .filter((result) => result.likeness >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ each }) => each);
  const shown = found.slice((page - 1) * count, page * count);
  const results = shown.map((each) => ({
    title: each.title,
    url: each.url,
    snippet: wordsOf(each).slice(0, 160),
    siteName: each.site,
    publishedAt: publishedAt(each, parts),
    ...(fields.includeImages && { images: picturesOf(each, parts) }),
  }));
  if (fields.format === 'json') return generic({ query, page, count, total: found.length, results });
  const isMarkdown = fields.format.startsWith('m');
  const line = ({ title, url, snippet }: (typeof results)[number]): string =>
    isMarkdown ? `- [${title}](${url}): ${snippet}` : `${title}\n${url}\n${snippet}`;
  return generic(results.map(line).join(isMarkdown ? '\n' : '\n\n'));
}

const selectors = z.array(z.string().min(1)).default([]);
const readFields = z.object({
  url: publicUrl,
  format: z.enum(['markdown', 'md', 'text', 'txt']).default('md'),
  liteMode: z.boolean().default(false),
  includeImages: z.boolean().default(true),
  onlyCSSSelectors: selectors,
  waitForCSSSelectors: selectors,
});

function read(call: Call, parts: ServiceParts): Answer {
  const fields = parseFields(readFields, jsonObject(call), parts);
  const { url, liteMode, onlyCSSSelectors: only, waitForCSSSelectors: awaited } = fields;
  const page = WEB.find((each) => each.url === url);
  if (page === undefined) {
    const message = `There is no page ${url} in the made-up web. A search names those there are.`;
    throw new Refusal(404, 'page_not_found', message);
  }
  const missing = awaited.find((selector) => !page.blocks.some(({ tag }) => tag === selector));
  if (missing !== undefined) throw invalid('selector_not_found', `The page never shows "${missing}".`);
  commitTool(call, parts);
  const isMarkdown = fields.format.startsWith('m');
  const blocks = page.blocks
    .filter(({ tag }) => only.length === 0 || only.includes(tag))
    .filter(({ tag }) => !(liteMode && (tag === 'nav' || tag === 'figure')))
    .filter(({ tag }) => fields.includeImages || tag !== 'figure')
    .map((block) => {
      if (!isMarkdown) return block.text;
      const marks = { h2: '## ', blockquote: '> ', p: '', nav: '' };
      return block.tag === 'figure'
        ? `![${block.text}](${pictureUrl(parts.addresses.origin, page, block)})`
        : `${marks[block.tag]}${block.text}`;
    });
  return generic({
    url,
    title: page.title,
    publishedAt: publishedAt(page, parts),
    content: [isMarkdown ? `# ${page.title}` : page.title, ...blocks].join('\n\n'),
  });
}

const generic = (data: unknown): Answer => jsonAnswer({ code: 'success', message: '', data });

const wordsOf = ({ blocks }: WebPage): string =>
  blocks
    .filter(({ tag }) => tag !== 'nav')
    .map(({ text }) => text)
    .join(' ');

const publishedAt = ({ age }: WebPage, { clock }: ServiceParts): string =>
  new Date(clock.now() - age * DAY_MS).toISOString().slice(0, 10);

function picturesOf(page: WebPage, { addresses }: ServiceParts): { url: string; caption: string }[] {
  return page.blocks
    .filter(({ tag }) => tag === 'figure')
    .map((block) => ({ url: pictureUrl(addresses.origin, page, block), caption: block.text }));
}

function likeness(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

async function picture({ page = '', file = '' }: Record<string, string>): Promise<Answer> {
  const shown = WEB[Number(page)];
  const block = shown?.blocks[Number(/^(\d+)\.png$/.exec(file)?.[1] ?? NaN)];
  if (shown === undefined || block?.tag !== 'figure') {
    throw new Refusal(404, 'page_not_found', 'There is no such picture.');
  }
  const slate = {
    width: 640,
    height: 480,
    headline: block.text,
    label: shown.site,
    caption: shown.title,
    seed: shown.url,
  };
  return { status: 200, headers: { 'content-type': 'image/png' }, body: await stillOf(slate) };
}
