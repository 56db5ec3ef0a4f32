import { basename, dirname } from 'node:path';
import { placeIn } from '../files/place.ts';
import { lookAtFolder, openFile } from '../files/project-files.ts';
import { realPath } from '../files/real-path.ts';
import { verifyProject, type Verified, type VerifyProgress } from './verify-project.ts';
import { verifyZip } from './verify-zip.ts';

/** Verifies what a person names: a folder, or an archive that a project was exported to. */
export async function* verifyPath(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<VerifyProgress, Verified, undefined> {
  const real = await realPath(path);
  if ((await lookAtFolder(real)) !== 'other') return yield* verifyProject(path, signal);
  const archive = await openFile(placeIn(dirname(real), basename(real)), 'read');
  try {
    return yield* verifyZip(archive, signal);
  } finally {
    await archive.handle.close();
  }
}
