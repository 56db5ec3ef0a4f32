import { createHash } from 'node:crypto';
import { z } from 'zod';
import pages from '../../../resources/demo/web.json' with { type: 'json' };
import { type Answer, invalid, jsonAnswer, Refusal, type Call } from '../call.ts';
import { stillOf } from '../media/scenery.ts';
import { publicUrl } from './references.ts';
import { fieldsFor, get, post, type Route } from './request.ts';
import { commitTool } from './tasks.ts';

/** Small enough to load at once, and varied enough that a search has a choice. `age` is in days. */
type WebPage = (typeof pages)[number];
type Block = WebPage['blocks'][number];

/**
 * Web search and web reader over a small made-up web. The reference shows their fields; their paths are assumed, and
 * the results are in the `data` of its generic JSON response: an object, or a text in the text formats.
 */
export const webRoutes: Route[] = [
  post('/v1/web-search', search),
  post('/v1/web-reader', read),
  { ...get('/web/:page/:file', picture), open: true },
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

function search(call: Call): Answer {
  const { query, area, freshness, includeImages, page, count, format } = fieldsFor(call, searchFields);
  commitTool(call);
  const youngest = freshness === undefined ? Infinity : DAYS[freshness];
  const found = pages
    .filter((each) => each.area === area && each.age < youngest)
    .map((each) => ({ page: each, likeness: likeness(query, `${each.title} ${each.title} ${toWords(each)}`) }))
    .filter((result) => result.likeness >= LEAST_LIKENESS)
    .toSorted((a, b) => b.likeness - a.likeness);
  const results = found.slice((page - 1) * count, page * count).map(({ page: each }) => ({
    title: each.title,
    url: each.url,
    snippet: toWords(each).slice(0, 160),
    siteName: each.site,
    publishedAt: publishedAt(each, call),
    ...(includeImages && {
      images: each.blocks
        .filter(({ tag }) => tag === 'figure')
        .map((block) => ({ url: pictureUrl(each, block, call), caption: block.text })),
    }),
  }));
  if (format === 'json') return generic({ query, page, count, total: found.length, results });
  const isMarkdown = format.startsWith('m');
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

const MARKS: Readonly<Record<string, string>> = { h2: '## ', blockquote: '> ' };

function read(call: Call): Answer {
  const fields = fieldsFor(call, readFields);
  const { url, liteMode, onlyCSSSelectors: only, waitForCSSSelectors: awaited } = fields;
  const page = pages.find((each) => each.url === url);
  if (page === undefined) {
    const message = `There is no page ${url} in the made-up web. A search names those there are.`;
    throw new Refusal(404, 'page_not_found', message);
  }
  const missing = awaited.find((selector) => !page.blocks.some(({ tag }) => tag === selector));
  if (missing !== undefined) throw invalid('selector_not_found', `The page never shows "${missing}".`);
  commitTool(call);
  const isMarkdown = fields.format.startsWith('m');
  const blocks = page.blocks
    .filter(({ tag }) => only.length === 0 || only.includes(tag))
    .filter(({ tag }) => !(liteMode && (tag === 'nav' || tag === 'figure')))
    .filter(({ tag }) => fields.includeImages || tag !== 'figure')
    .map((block) => {
      if (!isMarkdown) return block.text;
      if (block.tag === 'figure') return `![${block.text}](${pictureUrl(page, block, call)})`;
      return `${MARKS[block.tag] ?? ''}${block.text}`;
    });
  return generic({
    url,
    title: page.title,
    publishedAt: publishedAt(page, call),
    content: [isMarkdown ? `# ${page.title}` : page.title, ...blocks].join('\n\n'),
  });
}

const generic = (data: unknown): Answer => jsonAnswer({ code: 'success', message: '', data });

const toWords = ({ blocks }: WebPage): string =>
  blocks.flatMap(({ tag, text }) => (tag === 'nav' ? [] : [text])).join(' ');

const publishedAt = ({ age }: WebPage, { parts: { clock } }: Call): string =>
  new Date(clock.now() - age * DAY_MS).toISOString().slice(0, 10);

/** The address of the picture of a figure, below the address of the service itself: everything else is made up. */
const pictureUrl = (page: WebPage, block: Block, { parts: { addresses } }: Call): string =>
  `${addresses.origin}/web/${String(pages.indexOf(page))}/${String(page.blocks.indexOf(block))}.png`;

function likeness(one: string, other: string): number {
  const vector = embeddingFor(other, 512);
  return embeddingFor(one, 512).reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
}

async function picture(_call: Call, page = '', file = ''): Promise<Answer> {
  const shown = pages[Number(page)];
  const block = shown?.blocks[Number(/^(\d+)\.png$/.exec(file)?.[1] ?? NaN)];
  if (shown === undefined || block?.tag !== 'figure') {
    throw new Refusal(404, 'page_not_found', 'There is no such picture.');
  }
  const { site: label, title: caption, url: seed } = shown;
  const body = await stillOf({ width: 640, height: 480, headline: block.text, label, caption, seed });
  return { status: 200, headers: { 'content-type': 'image/png' }, body };
}

/** A direction from a text alone: each word and run of three letters pushes it, so texts that share some are near. */
export function embeddingFor(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  for (const word of words) {
    // Short words are in every text, in most scripts.
    push(vector, word, /^[a-z]{1,3}$/.test(word) ? 0.2 : 1);
    for (let at = 0; at + 3 <= word.length; at += 1) push(vector, word.slice(at, at + 3), 0.4);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.fill(1 / Math.sqrt(dimensions)) : vector.map((value) => value / length);
}

function push(vector: Float32Array, feature: string, weight: number): void {
  const hash = createHash('sha256').update(feature).digest();
  const at = hash.readUInt32LE(0) % vector.length;
  vector[at] = (vector[at] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? weight : -weight);
}
