import { messageFor, type Text } from '../../../contract/messages/message.ts';
import { v7 as uuid } from 'uuid';
import type { UploadReport } from '../../../contract/asset.ts';
import { formats } from '../../../contract/formats.ts';
import { RefusedError } from '../../base/errors.ts';
import type { Project } from '../../db/project-store.ts';
import { inspectFile } from '../../downloads/verify.ts';
import { below, toPath, type Place, placeIn } from '../../files/place.ts';
import { makeFolder, moveFile, openFile, removeFile } from '../../files/project-files.ts';
import type { StepContext } from '../../jobs/step-context.ts';
import type { Library } from '../../library/library.ts';

/** The largest picture that is accepted, bytes. */
const MAX_BYTES = 50 * 1000 ** 2;

/**
 * Downloads a picture named by a page into the project and adds it to the library. The rules for results apply: the
 * service's own address decides where the picture may come from, and only a whole picture is kept. No key is sent.
 */
export async function pictureToLibrary(
  { downloader, clients, settings, projects }: StepContext,
  library: Library,
  project: Project,
  url: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<UploadReport> {
  const origin = clients.current(projects.service(project.id))?.origin ?? settings.baseUrl;
  const folder = placeIn(project.path, '.dailies/pictures');
  await makeFolder(folder);
  const part = below(folder, `${uuid()}.part`);
  try {
    const outcome = await downloader.download({
      ...{ url, part, resume: null, maxBytes: MAX_BYTES, minFreeBytes: settings.minFreeBytes, signal },
      service: { origin, authorization: () => null },
    });
    signal.throwIfAborted();
    if (outcome.type !== 'complete') {
      throw notFetched('complaint' in outcome ? outcome.complaint.message : messageFor('failure.stopped'));
    }
    const picture = below(folder, `${outcome.sha256.slice(0, 16)}.${await formatFor(part, outcome.contentType, url)}`);
    await moveFile(part, picture);
    const [report] = await library.upload([toPath(picture)], { type: 'image' }, { signal });
    if (!report) throw new Error('An upload of one file has no report.');
    return report;
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
  new RefusedError(
    'picture_not_fetched',
    messageFor('research.pictureNotFetched', { reason: why }),
    messageFor('research.pictureNotFetchedRemedy'),
  );
