import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { toMessage } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import { toFolder, type Place } from '../files/place.ts';
import { createReplacing, moveFile, removeFile, replaceFile, syncFolder } from '../files/project-files.ts';

/** Where an answer is while it arrives. A file under the final name is always complete. */
export const arrivingAt = ({ project, names }: Place): Place => ({
  project,
  names: [...names.slice(0, -1), `${names.at(-1) ?? ''}.arriving`],
});

/**
 * The answer of a synchronous operation is paid for and cannot be requested again, so it is on disk before anything
 * reads it. It gets its final name when it is complete: audio cut between two frames passes every check. Replaces what
 * is at `place`; its folder must exist. A disk error is only logged: the answer in memory is still good, and an error
 * would turn a paid result into a submit with an unknown outcome.
 */
export function openSpool(place: Place, logger: Logger) {
  let file: FileHandle | null = null;
  let failed = false;
  let isWhole = false;

  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (failed) return;
    try {
      await step();
    } catch (error) {
      failed = true;
      logger.warn('A paid answer could not be kept on disk while it arrived', { reason: toMessage(error) });
    }
  };

  return {
    write: (chunk: Buffer): Promise<void> =>
      attempt(async () => {
        file ??= await createReplacing(arrivingAt(place));
        await file.writeFile(chunk);
      }),
    /** Call it after the whole answer came, with its content if compressed. It then survives a crash of the machine. */
    finish: (content?: readonly Buffer[]): Promise<void> =>
      attempt(async () => {
        if (!file) return;
        await file.sync();
        await file.close();
        file = null;
        if (content) {
          await replaceFile(place, Readable.from(content));
          await removeFile(arrivingAt(place));
        } else {
          await moveFile(arrivingAt(place), place);
          await syncFolder(toFolder(place));
        }
        isWhole = true;
      }),
    close: async (): Promise<void> => {
      // All that matters was synced or logged already.
      await file?.close().catch(() => undefined);
      file = null;
    },
    get isWhole() {
      return isWhole;
    },
  };
}

export type AnswerSpool = ReturnType<typeof openSpool>;
