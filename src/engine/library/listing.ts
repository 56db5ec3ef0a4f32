import type { Page } from '../api/asset-schemas.ts';
import { BadRequestError } from '../api/errors.ts';

/**
 * Items requested per page. The reference names no maximum; a service that refuses this number gets its own default.
 */
const PAGE_SIZE = 100;

/** Everything on all pages of one listing. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** How many the service says there are; null when it does not. */
  readonly total: number | null;
  /** False when fewer were seen than the service says there are, as when the list moved while it was read. */
  readonly whole: boolean;
}

export type FetchPage<Item> = (page: number, pageSize: number | undefined) => Promise<Page<Item>>;

export interface ListOptions<Item> {
  /** Looks at the first page; true when we know the rest already. */
  readonly enough?: (first: Page<Item>) => boolean;
}

/** Reads a listing page by page. Rejects with the `ServiceError` of a page that could not be read. */
export async function listAll<Item extends { readonly id: string }>(
  fetch: FetchPage<Item>,
  { enough = () => false }: ListOptions<Item> = {},
): Promise<Listing<Item>> {
  const found = new Map<string, Item>();
  const { first, pageSize } = await firstPage(fetch);
  let page = first;
  let seen = 0;
  for (let number = 1; ; number += 1) {
    const before = found.size;
    for (const item of page.items) found.set(item.id, item);
    seen += page.items.length;
    // A service that ignores the page number would give the same items for ever.
    const nothingNew = found.size === before;
    if (nothingNew || (page.total !== null && seen >= page.total) || (number === 1 && enough(page))) break;
    page = await fetch(number + 1, pageSize);
  }
  return { items: [...found.values()], total: page.total, whole: page.total === null || found.size >= page.total };
}

async function firstPage<Item>(fetch: FetchPage<Item>): Promise<{ first: Page<Item>; pageSize: number | undefined }> {
  try {
    return { first: await fetch(1, PAGE_SIZE), pageSize: PAGE_SIZE };
  } catch (error) {
    // A refusal of a wrong or deleted group says so; any other may be about the page size.
    if (!(error instanceof BadRequestError) || error.code === 'invalid_group_id') throw error;
    return { first: await fetch(1, undefined), pageSize: undefined };
  }
}
