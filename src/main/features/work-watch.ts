import { messageOf } from '../../engine/errors.ts';
import type { Desktop } from '../desktop.ts';
import { nothingRemembered, projectsToRead, workOf, type Remembered, type Work } from './work.ts';

/** How often the engine is read at most, ms: dock and tray need no more. */
const READ_EVERY_MS = 1000;

/** Reads what the engine is at whenever something has changed, once for all who go by it. */
export class WorkWatch {
  readonly #desktop: Pick<Desktop, 'client' | 'clock' | 'listen' | 'logger'>;
  readonly #listeners: ((work: Work) => void)[] = [];
  #before: Remembered = nothingRemembered;
  #reading = false;
  #wanted = false;

  constructor(desktop: Pick<Desktop, 'client' | 'clock' | 'listen' | 'logger'>) {
    this.#desktop = desktop;
  }

  /** Calls `listener` after each reading, for as long as the app runs. */
  listen(listener: (work: Work) => void): void {
    this.#listeners.push(listener);
  }

  start(): void {
    this.#desktop.listen(({ resync, jobs, projects, queue }) => {
      if (resync || queue !== null || jobs.length > 0 || projects.length > 0) void this.#readSoon();
    });
  }

  async #readSoon(): Promise<void> {
    this.#wanted = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#wanted) {
      this.#wanted = false;
      await this.#read();
      await this.#desktop.clock.sleep(READ_EVERY_MS);
    }
    this.#reading = false;
  }

  async #read(): Promise<void> {
    const { client, logger } = this.#desktop;
    try {
      const [queue, projects] = await Promise.all([client.queue.view(), client.projects.list()]);
      const ids = projectsToRead(this.#before, projects);
      const batches = await Promise.all(ids.map((projectId) => client.batches.list({ projectId })));
      const [work, remembered] = workOf(this.#before, { queue, projects, batches: batches.flat() });
      this.#before = remembered;
      for (const listener of this.#listeners) listener(work);
    } catch (error) {
      // The engine ended meanwhile; the resync of the next one reads again.
      logger.debug('What the engine is at was not read', { reason: messageOf(error) });
    }
  }
}
