import { messageFor, type Text } from '../../../contract/messages/message.ts';
import { v7 as uuid } from 'uuid';
import type { UploadReport } from '../../../contract/asset.ts';
import { formats } from '../../../contract/formats.ts';
import { refused, type RefusedError } from '../../base/errors.ts';
import type { Project } from '../../db/project-store.ts';
import { inspectFile } from '../../downloads/verify.ts';
import { below, toPath, type Place, placeIn } from '../../files/place.ts';
import { makeFolder, moveFile, openFile, removeFile, look, replaceFile } from '../../files/project-files.ts';
import type { StepContext } from '../../jobs/step-context.ts';
import type { Library } from '../../library/library.ts';
import { Clipping, type ClippingPage } from '../../../contract/tool.ts';
import { canNameAFile, fileFor, jsonNames, readJson } from '../../files/json-files.ts';

/** The largest picture that is accepted, bytes. */
const MAX_BYTES = 50 * 1000 ** 2;
/** The largest that is only looked at. */
const MAX_SHOWN_BYTES = 20 * 1000 ** 2;

export function pictureToLibrary(
  context: StepContext,
  library: Library,
  project: Project,
  url: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<UploadReport> {
  const folder = placeIn(project.path, '.dailies/pictures');
  const wanted = { projectId: project.id, url, folder, maxBytes: MAX_BYTES, signal };
  return withPicture(context, wanted, async ({ part, sha256, format }) => {
    const picture = below(folder, `${sha256.slice(0, 16)}.${format}`);
    await moveFile(part, picture);
    const [report] = await library.upload([toPath(picture)], { type: 'image' }, signal);
    if (!report) throw new Error('An upload of one file has no report.');
    return report;
  });
}

/** Fetches a picture named by a page, to be looked at. Returns its hash once `keep` has it; nothing else of it stays. */
export function pictureToShow(
  context: StepContext,
  projectId: string,
  url: string,
  keep: (sha256: string, picture: Buffer) => Promise<boolean>,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const folder = placeIn(context.dataFolder, 'pictures');
  const wanted = { projectId, url, folder, maxBytes: MAX_SHOWN_BYTES, signal };
  return withPicture(context, wanted, async ({ part, sha256, format }) => {
    const { handle } = await openFile(part, 'read');
    await using file = handle;
    if (await keep(sha256, await file.readFile())) return sha256;
    throw notFetched(messageFor('failure.notAPicture', { format }));
  });
}

interface WantedPicture {
  readonly projectId: string;
  readonly url: string;
  readonly folder: Place;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

interface FetchedPicture {
  readonly part: Place;
  readonly sha256: string;
  readonly format: string;
}

/**
 * The rules for results apply: the service's own address decides where the picture may come from, and only a whole
 * picture is used. No key is sent.
 */
async function withPicture<T>(
  { downloader, clients, settings, projects }: StepContext,
  { projectId, url, folder, maxBytes, signal }: WantedPicture,
  use: (fetched: FetchedPicture) => Promise<T>,
): Promise<T> {
  const origin = clients.current(projects.service(projectId))?.origin ?? settings.baseUrl;
  await makeFolder(folder);
  const part = below(folder, `${uuid()}.part`);
  try {
    const outcome = await downloader.download({
      ...{ url, part, resume: null, maxBytes, minFreeBytes: settings.minFreeBytes, signal },
      service: { origin, authorization: () => null },
    });
    signal.throwIfAborted();
    if (outcome.type !== 'complete') {
      throw notFetched('complaint' in outcome ? outcome.complaint.message : messageFor('failure.stopped'));
    }
    return await use({ part, sha256: outcome.sha256, format: await formatFor(part, outcome.contentType, url) });
  } finally {
    await removeFile(part);
  }
}

async function formatFor(part: Place, contentType: string | undefined, url: string): Promise<string> {
  const { handle, bytes } = await openFile(part, 'read');
  await using file = handle;
  const found = await inspectFile({ handle: file, bytes }, { contentType, url, medium: 'still' });
  if ('problem' in found) throw notFetched(found.problem);
  const { medium, isShown } = formats[found.format];
  if (medium !== 'still' || !isShown) throw notFetched(messageFor('failure.notAPicture', { format: found.format }));
  return found.format;
}

const notFetched = (why: Text): RefusedError =>
  refused(
    'picture_not_fetched',
    messageFor('research.pictureNotFetched', { reason: why }),
    'research.pictureNotFetchedRemedy',
  );

const MAX_CLIPPING_BYTES = 4 * 1000 ** 2;

const MAX_BYTES_AT_ONCE = 64 * 1000 ** 2;

const folderFor = (projectPath: string): Place => placeIn(projectPath, '.dailies/clippings');

function clippingAt(projectPath: string, id: string): Place {
  if (canNameAFile(id)) return fileFor(folderFor(projectPath), id);
  throw refused('unknown_clipping', messageFor('failure.noSuchItem', { what: 'clipping' }), 'remedy.openListAgain');
}

export async function putClipping(projectPath: string, clipping: Clipping): Promise<void> {
  const place = clippingAt(projectPath, clipping.id);
  await makeFolder(folderFor(projectPath));
  await replaceFile(place, `${JSON.stringify(clipping, null, 2)}\n`);
}

/** A clipping as it is kept; null where there is none that can be read. */
export async function readClipping(projectPath: string, id: string): Promise<Clipping | null> {
  const read = await readJson(clippingAt(projectPath, id), Clipping, MAX_CLIPPING_BYTES);
  return 'value' in read && read.value.id === id ? read.value : null;
}

/** At most `limit` clippings and 64 MB of them, the newest first. A file that cannot be read is left out and unchanged. */
export async function clippingsFor(projectPath: string, limit: number): Promise<ClippingPage> {
  const folder = folderFor(projectPath);
  const ids = (await jsonNames(folder).catch(() => [])).map((name) => name.slice(0, -'.json'.length));
  const newest = ids.filter(canNameAFile).slice(-limit).reverse();
  const found: Clipping[] = [];
  let left = MAX_BYTES_AT_ONCE;
  for (const id of newest) {
    const file = fileFor(folder, id);
    const bytes = (await look(file))?.size ?? 0;
    if (bytes > MAX_CLIPPING_BYTES) continue;
    left -= bytes;
    if (left < 0) break;
    const clipping = await readClipping(projectPath, id);
    if (clipping) found.push(clipping);
  }
  return { clippings: found.sort((a, b) => b.at - a.at), total: ids.length };
}

export async function removeClipping(projectPath: string, id: string): Promise<void> {
  await removeFile(clippingAt(projectPath, id));
}
