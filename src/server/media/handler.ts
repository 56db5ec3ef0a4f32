import * as z from 'zod';
import type { TakeFile } from '../../engine/review/review.ts';
import type { Services } from '../services.ts';
import { FOREVER, isKnown, notFound, plain } from './answers.ts';
import { readBody } from './body.ts';
import { answerMedia } from './media.ts';
import { Thumbs, thumbWidths } from './thumbs.ts';

/** A picture that is sent in, bytes. */
const MOST_POSTER_BYTES = 1024 ** 2;
const MOST_PEAKS_BYTES = 256 * 1024;
const Peaks = z.array(z.number().min(-1).max(1)).max(4000);

export type MediaHandler = (request: Request) => Promise<Response>;

/**
 * Media by URL, for both hosts. A take is named by its id and the number of its output, never by a path:
 * - `/media/<take>/<n>`: the file, with ranges; `?download` offers it for saving
 * - `/thumb/<take>/<n>?w=320|640`: a small picture as WebP; 204 while there is none of a film or a sound.
 *   `PUT` (PNG, JPEG or WebP up to 1 MB) gives a film one
 * - `/peaks/<take>/<n>`: the waveform, a JSON array of up to 4000 numbers from -1 to 1; 204 while there is none. `PUT`
 *   gives it
 */
export function createMediaHandler({ engine, host }: Services, thumbsFolder: string): MediaHandler {
  const thumbs = new Thumbs(thumbsFolder, host.logger);
  return async (request) => {
    const { pathname } = new URL(request.url);
    const [, what, takeId, number] = /^\/(media|thumb|peaks)\/([\w-]{1,100})\/(\d{1,4})$/.exec(pathname) ?? [];
    const file = takeId === undefined ? null : engine.review.file(takeId, Number(number));
    if (!file) return notFound();
    switch (what) {
      case 'media':
        return answerMedia(request, file);
      case 'thumb':
        return request.method === 'PUT' ? takePoster(request, file, thumbs) : answerThumb(request, file, thumbs);
      default:
        return request.method === 'PUT' ? takePeaks(request, file, thumbs) : answerPeaks(request, file, thumbs);
    }
  };
}

async function answerThumb(request: Request, file: TakeFile, thumbs: Thumbs): Promise<Response> {
  if (!isReading(request)) return notAllowed();
  const asked = Number(new URL(request.url).searchParams.get('w') ?? thumbWidths[0]);
  const width = thumbWidths.find((each) => each === asked);
  if (width === undefined) return plain(400, `Small pictures are ${thumbWidths.join(' or ')} pixels wide.`);
  const picture = await thumbs.thumb(file, width);
  return picture ? content(request, picture, `"${file.output.sha256}-${width}"`, 'image/webp') : plain(204);
}

async function answerPeaks(request: Request, file: TakeFile, thumbs: Thumbs): Promise<Response> {
  if (!isReading(request)) return notAllowed();
  const peaks = await thumbs.peaks(file);
  return peaks ? content(request, peaks, `"${file.output.sha256}-peaks"`, 'application/json') : plain(204);
}

async function takePoster(request: Request, file: TakeFile, thumbs: Thumbs): Promise<Response> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^image\/(png|jpeg|webp)$/.test(type)) return plain(415, 'Send a PNG, JPEG or WebP.');
  const picture = await readBody(request, MOST_POSTER_BYTES);
  if (!picture) return plain(413, 'The picture is larger than 1 MB.');
  return (await thumbs.keepPoster(file, picture)) ? plain(204) : plain(422, 'This is not a picture.');
}

async function takePeaks(request: Request, file: TakeFile, thumbs: Thumbs): Promise<Response> {
  const body = await readBody(request, MOST_PEAKS_BYTES);
  if (!body) return plain(413, 'The waveform is too long.');
  const peaks = Peaks.safeParse(jsonOf(Buffer.from(body).toString('utf8')));
  if (!peaks.success) return plain(422, 'Send an array of up to 4000 numbers from -1 to 1.');
  await thumbs.keepPeaks(file, peaks.data);
  return plain(204);
}

function content(request: Request, bytes: Buffer, etag: string, type: string): Response {
  const headers = {
    etag,
    'cache-control': FOREVER,
    'content-type': type,
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
  };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag, 'cache-control': FOREVER } });
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(bytes), { headers });
}

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';
const notAllowed = (): Response => plain(405, '', { allow: 'GET, HEAD, PUT' });

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
