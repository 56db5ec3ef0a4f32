import { join } from 'node:path';
import { parsedJson } from '../../contract/json.ts';
import * as z from 'zod';
import type { TakeFile } from '../../engine/review/review.ts';
import type { Services } from '../services.ts';
import { ASK_AGAIN, FOREVER, isKnown, notFound, plain } from './answers.ts';
import { openAssetFile, openListedPicture } from './assets.ts';
import { answerReport } from '../reports/write-report.ts';
import { answerFile, openSound, openTakeFile } from './served-file.ts';
import { thumbKey, Thumbs, thumbWidths, type ThumbWidth } from './thumbs.ts';
import { takeUpload } from './upload.ts';

const MAX_POSTER_BYTES = 1000 ** 2;
const MAX_PEAKS_BYTES = 256 * 1024;
/** A PNG of 8K. */
const MAX_FRAME_BYTES = 128 * 1000 ** 2;
const HASH = /^[0-9a-f]{64}$/;
const Peaks = z.array(z.number().min(-1).max(1)).max(4000);

export type MediaHandler = (request: Request) => Promise<Response>;

/**
 * Media by URL, for both hosts. What is shown is named by an id and a number, never by a path:
 * - `/media/<take>/<n>`: the file, with ranges; `?download` offers it for saving
 * - `/thumb/<take>/<n>?w=320|640`: a small picture as WebP; 204 while there is none of a film or a sound.
 *   `PUT` (PNG, JPEG or WebP up to 1 MB) gives it one
 * - `/frame/<take>/<n>/<frame>?w=…`: a small picture of a frame of a film, named as in a reference (`last`, `48f`); 204
 *   while the engine cannot read it. `PUT ?number=…` (PNG) gives it one that a window has read
 * - `/peaks/<take>/<n>`: the waveform, a JSON array of up to 4000 numbers from -1 to 1; 204 while there is none. `PUT`
 *   gives it
 * - `/asset/<asset>` and `/asset-thumb/<asset>?w=…`: the same of the local file an asset was made of; `?project=` names
 *   the project whose service has it
 * - `/cell-thumb/<draft>/<row>/<column>?named=…&w=…`: a small picture of the local file that a cell of a list names; 204
 *   where the cell names no such file, or one that is no picture or must not be sent without being asked about
 * - `/web-picture/<hash>?w=…`: a small picture of one that was fetched from the web to be looked at (`clippings.look`)
 * - `/music/<project>/<hash>`: a sound file that was added to the cuts of a project
 * - `/report/<project>/<night>`: the page of a report, with a policy of its own
 * - `PUT /upload?name=…`: see `takeUpload`
 */
export function createMediaHandler(services: Services): MediaHandler {
  const { engine, host } = services;
  const thumbs = new Thumbs(join(host.dataFolder, 'thumbs'), host);
  const uploads = join(host.dataFolder, 'uploads');

  const ofTake = async (request: Request, what: string, id: string, file: TakeFile): Promise<Response> => {
    const { format } = file.output;
    const key = thumbKey(file);
    const isPicture = ['png', 'jpg', 'webp', 'gif'].includes(format);
    if (what === 'media') {
      const answer = await answerOpened(request, openTakeFile(file));
      // The window asks for it because it counts as saved.
      if (answer.status === 404) await engine.jobs.lookAtFiles([id]);
      return answer;
    }
    if (what === 'peaks') return request.method === 'PUT' ? takePeaks(request, key) : answerPeaks(request, key);
    if (request.method === 'PUT') return takePoster(request, key);
    return answerThumb(request, key, isPicture ? () => openTakeFile(file) : null);
  };

  const ofFrame = async (request: Request, id: string, number: number, frame: string): Promise<Response> => {
    if (request.method === 'PUT') {
      const at = Number(new URL(request.url).searchParams.get('number') ?? Number.NaN);
      const picture = Number.isSafeInteger(at) && at >= 0 ? await readBody(request, MAX_FRAME_BYTES) : null;
      if (!picture) return plain(413, 'Send a PNG, and its number.');
      const given = { number: at, picture: Buffer.from(picture) };
      return (await engine.frames.give(id, number, frame, given)) ? plain(204) : plain(422, 'This is no frame of it.');
    }
    const file = isReading(request) ? await engine.frames.file(id, number, frame) : null;
    return file ? answerThumb(request, thumbKey(file), () => openTakeFile(file)) : plain(204);
  };

  const ofAsset = async (request: Request, what: string, assetId: string): Promise<Response> => {
    const project = new URL(request.url).searchParams.get('project') ?? undefined;
    const local = libraryAsset(assetId, project)?.local;
    if (!local) return notFound();
    if (what === 'asset') return answerOpened(request, openAssetFile(local));
    const isPicture = local.contentType?.startsWith('image/') === true;
    return answerThumb(request, local.sha256, isPicture ? () => openAssetFile(local) : null);
  };

  const ofCell = async (request: Request, draftId: string, row: number, column: number): Promise<Response> => {
    const name = new URL(request.url).searchParams.get('named') ?? '';
    // No such list, or one of an archived project: then it has no picture either.
    const path = await engine.drafts.localFile(draftId, { row, column, name }).catch(() => null);
    const file = path === null ? null : await openListedPicture(path);
    if (file === null) return plain(204);
    try {
      return await answerThumb(request, file.expected.sha256, () => Promise.resolve(file), ASK_AGAIN);
    } finally {
      await file.handle.close();
    }
  };

  const libraryAsset = (assetId: string, project: string | undefined) => {
    try {
      return engine.views.library(project).asset(assetId);
    } catch {
      // No such project, so no such asset.
      return null;
    }
  };

  const answerThumb = async (
    request: Request,
    sha256: string,
    open: Parameters<Thumbs['of']>[2] | null,
    caching = FOREVER,
  ): Promise<Response> => {
    if (!isReading(request)) return plain(405, '', { allow: 'GET, HEAD, PUT' });
    const width = toWidth(request);
    if (width === null) return plain(400, `Small pictures are ${thumbWidths.join(' or ')} pixels wide.`);
    const picture = await (open ? thumbs.of(sha256, width, open) : thumbs.kept(sha256, width));
    return picture ? content(request, picture, `"${sha256}-${width}"`, 'image/webp', caching) : plain(204);
  };

  const answerPeaks = async (request: Request, sha256: string): Promise<Response> => {
    if (!isReading(request)) return plain(405, '', { allow: 'GET, HEAD, PUT' });
    const peaks = await thumbs.peaks(sha256);
    return peaks ? content(request, peaks, `"${sha256}-peaks"`, 'application/json') : plain(204);
  };

  const takePoster = async (request: Request, sha256: string): Promise<Response> => {
    const type = request.headers.get('content-type') ?? '';
    if (!/^image\/(png|jpeg|webp)$/.test(type)) return plain(415, 'Send a PNG, JPEG or WebP.');
    const picture = await readBody(request, MAX_POSTER_BYTES);
    if (!picture) return plain(413, 'The picture is larger than 1 MB.');
    return (await thumbs.keepPoster(sha256, picture)) ? plain(204) : plain(422, 'This is not a picture.');
  };

  const takePeaks = async (request: Request, sha256: string): Promise<Response> => {
    const body = await readBody(request, MAX_PEAKS_BYTES);
    if (!body) return plain(413, 'The waveform is too long.');
    const peaks = Peaks.safeParse(parsedJson(Buffer.from(body).toString('utf8')));
    if (!peaks.success) return plain(422, 'Send an array of up to 4000 numbers from -1 to 1.');
    await thumbs.keepPeaks(sha256, peaks.data);
    return plain(204);
  };

  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/upload') return takeUpload(request, services, uploads);
    const [, what, id, number] = /^\/(media|thumb|peaks)\/([\w-]{1,100})\/(\d{1,4})$/.exec(pathname) ?? [];
    if (what !== undefined && id !== undefined) {
      const file = engine.review.file(id, Number(number));
      // Hashes come from folders of other machines too, and go into names and headers.
      return file && HASH.test(file.output.sha256) ? ofTake(request, what, id, file) : notFound();
    }
    const [, ofFilm, output, frame] = /^\/frame\/([\w-]{1,100})\/(\d{1,4})\/([\w.]{1,20})$/.exec(pathname) ?? [];
    if (ofFilm !== undefined && frame !== undefined) return ofFrame(request, ofFilm, Number(output), frame);
    const [, projectId, night] = /^\/report\/([\w-]{1,100})\/(\d{1,15})$/.exec(pathname) ?? [];
    if (projectId !== undefined) {
      return isReading(request) ? answerReport(services, projectId, Number(night)) : readOnly();
    }
    const [, inProject, music] = /^\/music\/([\w-]{1,100})\/([0-9a-f]{64})$/.exec(pathname) ?? [];
    if (inProject !== undefined && music !== undefined) {
      const project = engine.stores.projects.get(inProject);
      return project ? answerOpened(request, openSound(project.path, music)) : notFound();
    }
    const [, webPicture] = /^\/web-picture\/([0-9a-f]{64})$/.exec(pathname) ?? [];
    if (webPicture !== undefined) return isReading(request) ? answerThumb(request, webPicture, null) : readOnly();
    const [, draftId, row, column] = /^\/cell-thumb\/([\w-]{1,100})\/(\d{1,7})\/(\d{1,4})$/.exec(pathname) ?? [];
    if (draftId !== undefined) {
      return isReading(request) ? ofCell(request, draftId, Number(row), Number(column)) : readOnly();
    }
    const [, of, assetId] = /^\/(asset|asset-thumb)\/([^/\s]{1,600})$/.exec(pathname) ?? [];
    if (of === undefined || assetId === undefined) return notFound();
    const decoded = decodedOnce(assetId);
    return decoded === null ? notFound() : ofAsset(request, of, decoded);
  };
}

async function answerOpened(request: Request, opening: ReturnType<typeof openTakeFile>): Promise<Response> {
  const file = await opening;
  return file ? answerFile(request, file) : notFound();
}

function toWidth(request: Request): ThumbWidth | null {
  const asked = Number(new URL(request.url).searchParams.get('w') ?? thumbWidths[0]);
  return thumbWidths.find((each) => each === asked) ?? null;
}

function content(request: Request, bytes: Buffer, etag: string, type: string, caching = FOREVER): Response {
  const headers = {
    etag,
    'cache-control': caching,
    'content-type': type,
    'content-length': String(bytes.length),
    'x-content-type-options': 'nosniff',
  };
  if (isKnown(request, etag)) return new Response(null, { status: 304, headers: { etag, 'cache-control': caching } });
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(bytes), { headers });
}

const readOnly = (): Response => plain(405, '', { allow: 'GET, HEAD' });

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Decoded once, as it was encoded once; null when it was not. */
function decodedOnce(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

async function readBody(request: Request, mostBytes: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) return null;
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request.body ?? []) {
    length += piece.length;
    if (length > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
