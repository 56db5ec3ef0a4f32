import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/ports.ts';
import { folderOf, type Place } from '../files/place.ts';
import { createAfresh, moveFile, syncFolder } from '../files/project-files.ts';

/** Keeps the raw bytes of an answer on disk while it arrives. */
export interface AnswerSpool {
  write(chunk: Buffer): Promise<void>;
  /** The whole answer is there: makes it outlive a crash of the machine. */
  finish(): Promise<void>;
  close(): Promise<void>;
  /** True once the whole answer has outlived whatever may happen to this process. */
  readonly isWhole: boolean;
}

/** Where an answer lies while it arrives: under its own name it is always whole. */
export const arrivingAt = ({ project, names }: Place): Place => ({
  project,
  names: [...names.slice(0, -1), `${names.at(-1) ?? ''}.arriving`],
});

/**
 * The answer of a synchronous operation is paid for and cannot be asked for again, so it is on disk before anybody
 * reads it. It gets its name when it is whole: a sound that is cut between two of its frames looks whole to any check.
 * What is at `place` is replaced; its folder must exist. A disk that fails here is logged and no more: the
 * answer in memory is still good, and an error would turn a paid result into a submit of unknown fate.
 */
export function openSpool(place: Place, logger: Logger): AnswerSpool {
  let file: FileHandle | null = null;
  let failed = false;
  let isWhole = false;

  const attempt = async (step: () => Promise<void>): Promise<void> => {
    if (failed) return;
    try {
      await step();
    } catch (error) {
      failed = true;
      logger.warn('A paid answer could not be kept on disk while it arrived', { reason: messageOf(error) });
    }
  };

  return {
    write: (chunk) =>
      attempt(async () => {
        file ??= await createAfresh(arrivingAt(place));
        await file.writeFile(chunk);
      }),
    finish: () =>
      attempt(async () => {
        if (!file) return;
        await file.sync();
        await file.close();
        file = null;
        await moveFile(arrivingAt(place), place);
        await syncFolder(folderOf(place));
        isWhole = true;
      }),
    close: async () => {
      // Everything that matters was synced or logged already.
      await file?.close().catch(() => undefined);
      file = null;
    },
    get isWhole() {
      return isWhole;
    },
  };
}
