import type { Stores } from '../../db/stores.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import type { DescribeRequest } from '../../../contract/describe.ts';
import { formats } from '../../../contract/formats.ts';
import { RefusedError } from '../../base/errors.ts';
import { openFile, pathOfOpen } from '../../files/project-files.ts';
import { pathOf, placeIn } from '../../files/place.ts';
import type { PictureFile } from './describe.ts';

/**
 * The picture that the person chose; the caller closes it. One of a take is opened through the door to its project, and
 * its path leads to what was opened. Throws RefusedError if the take has no such file or it is not a still, and
 * ProjectFileError.
 */
export async function openPictureFile(
  { jobs, outputs, projects }: Stores,
  picture: DescribeRequest['picture'],
): Promise<PictureFile> {
  if ('path' in picture) {
    return { ...{ path: picture.path, sentPath: picture.path, projectId: null }, close: () => Promise.resolve() };
  }
  const job = jobs.get(picture.takeId);
  const project = job && projects.get(job.projectId);
  const output = outputs.outputs(picture.takeId).find(({ number }) => number === picture.output);
  if (project && output && formats[output.format].medium === 'still') {
    const place = placeIn(project.path, output.file);
    const file = await openFile(place, 'read');
    const paths = { path: pathOf(place), sentPath: pathOfOpen(place, file) };
    return { ...paths, projectId: project.id, close: () => file.handle.close() };
  }
  throw new RefusedError('no_such_picture', messageFor('failure.noSuchPicture'), messageFor('remedy.chooseSavedStill'));
}
