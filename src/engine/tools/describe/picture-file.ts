import { messageFor } from '../../../contract/messages/message.ts';
import { join } from 'node:path';
import type { DescribeRequest } from '../../../contract/describe.ts';
import { formats } from '../../../contract/formats.ts';
import { RefusedError } from '../../base/errors.ts';
import type { JobStore } from '../../db/job-store.ts';
import type { OutputStore } from '../../db/output-store.ts';
import type { ProjectStore } from '../../db/project-store.ts';
import type { PictureFile } from './describe.ts';

interface Stores {
  readonly jobs: JobStore;
  readonly outputs: OutputStore;
  readonly projects: ProjectStore;
}

/** The picture that the person chose. Throws RefusedError if the take has no such file or it is not a still. */
export function pictureFile({ jobs, outputs, projects }: Stores, picture: DescribeRequest['picture']): PictureFile {
  if ('path' in picture) return { path: picture.path, projectId: null };
  const job = jobs.get(picture.takeId);
  const project = job && projects.get(job.projectId);
  const output = outputs.outputs(picture.takeId).find(({ number }) => number === picture.output);
  if (project && output && formats[output.format].medium === 'still') {
    return { path: join(project.path, output.file), projectId: project.id };
  }
  throw new RefusedError('no_such_picture', messageFor('failure.noSuchPicture'), messageFor('remedy.chooseSavedStill'));
}
