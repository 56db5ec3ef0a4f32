import * as z from 'zod';
import { Failure } from './failure.ts';
import { listOf } from './list-of.ts';

const isAgreed = z.boolean().default(false);
const projectId = z.string().nullable().default(null);
const webAddress = z.url({ protocol: /^https?$/, hostname: /./ }).max(4096);
const selectors = z.array(z.string().trim().min(1).max(500)).max(20).optional();

/** Service reference, "Speech, embeddings, web and music request shapes", web search. Absent fields are not sent. */
export const SearchRequest = z.object({
  projectId,
  query: z.string().trim().min(1).max(2000),
  area: z.enum(['global', 'cn']).optional(),
  freshness: z.enum(['Day', 'Week', 'Month', 'Year']).optional(),
  includeImages: z.boolean().optional(),
  /** From 1. */
  page: z.int().min(1).max(1000).optional(),
  /** Results a page; the service's default is 10. */
  count: z.int().min(1).max(50).optional(),
  isAgreed,
});
export type SearchRequest = z.infer<typeof SearchRequest>;

/** The same section, web reader. */
export const ReadPageRequest = z.object({
  projectId,
  url: webAddress,
  format: z.enum(['markdown', 'text']).optional(),
  liteMode: z.boolean().optional(),
  includeImages: z.boolean().optional(),
  onlyCSSSelectors: selectors,
  waitForCSSSelectors: selectors,
  isAgreed,
});
export type ReadPageRequest = z.infer<typeof ReadPageRequest>;

/** Something found on the web: text and addresses of strangers. Shown as plain text, and nothing in it is loaded by itself. */
export const WebFinding = z.object({
  title: z.string(),
  /** http or https; empty where none came. */
  url: z.string(),
  text: z.string(),
  /** Addresses of pictures. */
  images: listOf(z.string(), 10_000),
  /** As the service gave it. */
  date: z.string().optional(),
});
export type WebFinding = z.infer<typeof WebFinding>;

const failed = z.object({ type: z.literal('failed'), failure: Failure });
export const Findings = z.union([
  z.object({ type: z.literal('found'), callId: z.string(), wasPaid: z.boolean(), findings: z.array(WebFinding) }),
  failed,
]);
export type Findings = z.infer<typeof Findings>;

export const CLIPPINGS_A_PAGE = 1000;

export const Clipping = WebFinding.extend({
  format: z.literal(1),
  id: z.string().min(1),
  /** The question, or the address of the page. */
  askedFor: z.string(),
  /** When it was kept, ms. */
  at: z.number(),
});
export type Clipping = z.infer<typeof Clipping>;

export const ClippingPage = z.object({ clippings: z.array(Clipping), total: z.int().min(0) });
export type ClippingPage = z.infer<typeof ClippingPage>;
