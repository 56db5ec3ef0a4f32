import { messageFor } from '../../../contract/messages/message.ts';
import type { Findings, ReadPageRequest, SearchRequest, WebFinding } from '../../../contract/tool.ts';
import type { StepContext } from '../../jobs/step-context.ts';
import { web } from '../../api/resources/requests.ts';
import { presentFields } from '../../kinds/extra-fields.ts';
import { type ToolAsk, toolPath, type ToolRunner } from '../tool-runner.ts';
import type { Json, JsonObject } from '../../../contract/json.ts';
import { isObject, parseJson, plainText } from '../../api/answer.ts';

/**
 * Searches the web through the service. Each call is billed. Until the caller has shown the result and called
 * `ToolRunner.markUsed`, the same question returns the answer that was paid for. After that it is sent again.
 */
export function openResearch(runner: ToolRunner, context: Pick<StepContext, 'settings'>) {
  async function find(
    ask: ToolAsk,
    read: (answer: Buffer) => WebFinding[] | null,
    signal: AbortSignal | undefined,
  ): Promise<Findings> {
    return runner.read(await runner.run(ask, signal), 'findings', (answer) => {
      const findings = read(answer);
      return findings && { type: 'found' as const, findings };
    });
  }
  return {
    search({ projectId, isAgreed, ...fields }: SearchRequest, signal?: AbortSignal): Promise<Findings> {
      const request = web.search(presentFields({ ...fields, format: 'json' }), toolPath(context.settings, 'webSearch'));
      const about = messageFor('tools.aboutSearch', { query: fields.query });
      return find({ tool: 'search', about, projectId, isAgreed, request }, readSearch, signal);
    },

    readPage({ projectId, isAgreed, ...fields }: ReadPageRequest, signal?: AbortSignal): Promise<Findings> {
      const request = web.read(presentFields(fields), toolPath(context.settings, 'webReader'));
      const about = messageFor('tools.aboutRead', { url: fields.url });
      const ask = { tool: 'read' as const, about, projectId, isAgreed, request };
      return find(ask, (answer) => readPage(answer, fields.url), signal);
    },
  };
}

/**
 * Reads the answer of a search or a page reader. The reference shows neither, so we try the usual field names and
 * ignore the rest. The texts come from outside, so they are limited in length, and only texts and web addresses are
 * used.
 */

const MAX_FINDINGS = 50;
const MAX_IMAGES = 100;
const LONGEST = { title: 500, text: 500_000, address: 4096 };

/** The findings of a search; null if there are none. Plain text is one finding. */
export function readSearch(answer: Buffer): WebFinding[] | null {
  const text = answer.toString('utf8');
  const json = parseJson(text);
  if (json === undefined) return ofText(text);
  const list = listIn(json, 4);
  if (list) {
    const found = list.slice(0, MAX_FINDINGS).flatMap(findingIn);
    return found.length > 0 || list.length === 0 ? found : null;
  }
  return ofText(contentIn(json));
}

/** The text of one page; null if there is none. */
export function readPage(answer: Buffer, url: string): WebFinding[] | null {
  const text = answer.toString('utf8');
  const json = parseJson(text);
  const page = isObject(json) ? innermost(json) : null;
  const content = json === undefined ? text : contentIn(json);
  const clean = plain(content ?? '', LONGEST.text);
  if (clean === '') return null;
  return [{ title: titleIn(page) || url, url, text: clean, images: imagesIn(page), ...dateIn(page) }];
}

function ofText(text: string | undefined): WebFinding[] | null {
  const clean = plain(text ?? '', LONGEST.text);
  return clean === '' ? null : [{ title: '', url: '', text: clean, images: [] }];
}

const LISTS = ['results', 'items', 'webPages', 'web', 'organic', 'value', 'data', 'images'];

/** The first list of results, at most `depth` objects deep. */
function listIn(json: Json | undefined, depth: number): readonly Json[] | null {
  if (Array.isArray(json)) return json;
  if (!isObject(json) || depth === 0) return null;
  for (const name of LISTS) {
    const found = listIn(json[name], depth - 1);
    if (found) return found;
  }
  return null;
}

function findingIn(item: Json): WebFinding[] {
  if (!isObject(item)) return [];
  const url = addressIn(item['url'] ?? item['link'] ?? item['href']) ?? '';
  const text = plain(first(item, ['content', 'text', 'snippet', 'summary', 'description']) ?? '', LONGEST.text);
  const title = titleIn(item) || url;
  if (title === '' && text === '') return [];
  return [{ title, url, text, images: imagesIn(item), ...dateIn(item) }];
}

function contentIn(json: Json): string | undefined {
  if (typeof json === 'string') return json;
  if (!isObject(json)) return undefined;
  return first(innermost(json), ['content', 'markdown', 'text', 'data']);
}

/** The innermost object with content: answers wrap it in `data` or `result`. */
function innermost(json: JsonObject): JsonObject {
  let inside = json;
  for (let depth = 0; depth < 4; depth += 1) {
    const next = inside['data'] ?? inside['result'];
    if (!isObject(next)) break;
    inside = next;
  }
  return inside;
}

const titleIn = (item: JsonObject | null): string =>
  plain((item && first(item, ['title', 'name', 'headline'])) ?? '', LONGEST.title).replaceAll(/\s+/g, ' ');

function dateIn(item: JsonObject | null): { date?: string } {
  const date = item && first(item, ['date', 'publishedDate', 'published_at', 'datePublished', 'publishedAt']);
  return date ? { date: plain(date, 100) } : {};
}

function imagesIn(item: JsonObject | null): string[] {
  if (!item) return [];
  const named = ['images', 'image', 'imageUrls', 'image_urls', 'imageUrl', 'image_url', 'thumbnail'];
  const values = named.flatMap((name) => (Array.isArray(item[name]) ? item[name] : [item[name]]));
  const found = values.slice(0, 10 * MAX_IMAGES).flatMap((value) => {
    const address = addressIn(isObject(value) ? (value['url'] ?? value['src']) : value);
    return address === null ? [] : [address];
  });
  return [...new Set(found)].slice(0, MAX_IMAGES);
}

function addressIn(value: Json | undefined): string | null {
  if (typeof value !== 'string' || value.length > LONGEST.address) return null;
  const url = URL.parse(value.trim());
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}

function first(item: JsonObject, names: readonly string[]): string | undefined {
  return names.map((name) => item[name]).find((value): value is string => typeof value === 'string' && value !== '');
}

const plain = (text: string, longest: number): string => plainText(text.slice(0, longest));
