/** What never changes under its address: a take is never overwritten. */
export const FOREVER = 'private, max-age=31536000, immutable';

/** What may be another file by now: kept, and asked about each time it is shown. */
export const ASK_AGAIN = 'private, no-cache';

export function plain(status: number, text = '', headers: Record<string, string> = {}): Response {
  return new Response(status === 204 || status === 304 ? null : text, {
    status,
    headers: {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(text !== '' && { 'content-type': 'text/plain; charset=utf-8' }),
      ...headers,
    },
  });
}

export const notFound = (): Response => plain(404, 'There is no such file.');

export function isKnown(request: Request, etag: string): boolean {
  const known = request.headers.get('if-none-match');
  return (
    known !== null &&
    (known.trim() === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
  );
}

export function asDownload(name: string): string {
  const ascii = name.replace(/[^\x20-\x7E]|["\\%]/g, '_');
  const exact = encodeURIComponent(name).replace(
    /['()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

/** First parts of the paths that the media handler answers; apart from it, since it brings an image library along. */
export const mediaPaths = [
  'media',
  'thumb',
  'peaks',
  'frame',
  'asset',
  'asset-thumb',
  'cell-thumb',
  'web-picture',
  'report',
  'upload',
] as const;
