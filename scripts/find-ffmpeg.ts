import { findFfmpeg as onPath } from '../src/engine/files/existing-paths.ts';
import { installFromDistribution } from './find-chromium.ts';

/**
 * An ffmpeg to compare frames with: `FFMPEG` in the environment, the one on PATH, or, as root on Debian, Debian's, installed
 * now. Null when there is none.
 */
export function findFfmpeg(env: NodeJS.ProcessEnv = process.env): string | null {
  const found = (): string | null => env['FFMPEG'] || onPath(env);
  return found() ?? (installFromDistribution('ffmpeg', 'frames', ['ffmpeg']) ? found() : null);
}
