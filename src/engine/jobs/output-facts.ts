import PQueue from 'p-queue';
import { formats, type OutputFormat } from '../../contract/formats.ts';
import type { MediaFacts } from '../../contract/media-facts.ts';
import type { OutputStore } from '../db/output-store.ts';
import { placeIn, type Place } from '../files/place.ts';
import { type OpenFile, openFile } from '../files/project-files.ts';
import { factsOfOpen } from '../library/media-facts.ts';

type Outputs = Pick<OutputStore, 'withoutFacts' | 'saveFacts'>;
type OnFound = (found: { readonly jobId: string; readonly batchId: string }) => void;

/**
 * What the files of takes say of themselves, read as each arrives. Those of takes from before and from
 * other machines are read one by one in the background once their project is taken.
 */
export class OutputFacts {
  readonly #outputs: Outputs;
  readonly #changed: OnFound;
  readonly #stopping: AbortSignal;
  readonly #background = new PQueue({ concurrency: 1 });

  constructor(outputs: Outputs, stopping: AbortSignal, changed: OnFound) {
    this.#outputs = outputs;
    this.#stopping = stopping;
    this.#changed = changed;
  }

  /** Null where they cannot be read: that is no failure of the take. */
  read(place: Place, file: OpenFile, format: OutputFormat): Promise<MediaFacts | null> {
    return this.#read(place, file, format).catch(() => null);
  }

  /** Not waited for. */
  readMissing(projectId: string, path: string): void {
    // A stop is no failure, and what could not be read now is read when the project is taken again.
    void this.#background.add(() => this.#readMissing(projectId, path)).catch(() => undefined);
  }

  settled(): Promise<void> {
    return this.#background.onIdle();
  }

  async #readMissing(projectId: string, path: string): Promise<void> {
    for (let after: { jobId: string; number: number } | undefined = { jobId: '', number: 0 }; after;) {
      this.#stopping.throwIfAborted();
      const files = this.#outputs.withoutFacts(projectId, after);
      for (const { jobId, batchId, number, file, format } of files) {
        const facts = await this.#ofFile(placeIn(path, file), format);
        if (facts === null) continue;
        this.#outputs.saveFacts(jobId, number, facts);
        this.#changed({ jobId, batchId });
      }
      after = files.at(-1);
    }
  }

  /** Null for a file that is not there. */
  async #ofFile(place: Place, format: OutputFormat): Promise<MediaFacts | null> {
    this.#stopping.throwIfAborted();
    const file = await openFile(place, 'read').catch(() => null);
    try {
      return file && (await this.#read(place, file, format));
    } finally {
      await file?.handle.close();
    }
  }

  async #read(place: Place, file: OpenFile, format: OutputFormat): Promise<MediaFacts> {
    const { medium } = formats[format];
    if (medium === null || medium === 'words') return {};
    return factsOfOpen(place, file, this.#stopping);
  }
}
