import { join } from 'node:path';
import type { FirstTake } from '../../contract/night-report.ts';
import type { Clock, Logger } from '../../engine/base/ports.ts';
import type { TakeFile } from '../../engine/review/review.ts';
import { openTakeFile } from '../media/served-file.ts';
import { thumbKey, Thumbs } from '../media/thumbs.ts';

/** Bytes of one small picture, and of all of them: a report is sent by mail. */
const MOST_BYTES = 60_000;
const MOST_BYTES_TOGETHER = 1_200_000;

const PICTURES: ReadonlySet<string> = new Set(['png', 'jpg', 'webp', 'gif']);

export interface PicturesParts {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The first file of a take. */
  readonly fileOf: (takeId: string) => TakeFile | null;
}

/** Small pictures of takes as `data:` addresses. A film has one once a window has shown it. */
export async function reportPictures(
  takes: readonly FirstTake[],
  { dataFolder, fileOf, ...host }: PicturesParts,
): Promise<Map<string, string>> {
  const thumbs = new Thumbs(join(dataFolder, 'thumbs'), host);
  const pictures = new Map<string, string>();
  let left = MOST_BYTES_TOGETHER;
  for (const { takeId } of takes) {
    const file = fileOf(takeId);
    if (!file || !/^[0-9a-f]{64}$/.test(file.output.sha256)) continue;
    const key = thumbKey(file);
    const picture = PICTURES.has(file.output.format)
      ? await thumbs.of(key, 320, () => openTakeFile(file))
      : await thumbs.kept(key, 320);
    if (!picture || picture.length > Math.min(MOST_BYTES, left)) continue;
    left -= picture.length;
    pictures.set(takeId, `data:image/webp;base64,${picture.toString('base64')}`);
  }
  await thumbs.settled();
  return pictures;
}
