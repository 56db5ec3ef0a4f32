/** Which bytes of a file a request wants; both ends count. */
export type WantedBytes =
  | { readonly type: 'all' }
  | { readonly type: 'part'; readonly start: number; readonly end: number }
  /** The file has none of the bytes asked for. */
  | { readonly type: 'none' };

/**
 * Reads a `Range` header (RFC 9110, 14.2) for a file of `size` bytes. Several ranges at once, and what is no range of
 * bytes, are answered with the whole file, as the RFC allows. Pure.
 */
export function readRange(header: string | null, size: number): WantedBytes {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return { type: 'all' };
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? { type: 'none' } : { type: 'part', start: size - count, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return { type: 'all' };
  if (start >= size) return { type: 'none' };
  return { type: 'part', start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
