import { messageOf } from '../engine/base/errors.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import type { Engine } from '../engine/engine.ts';
import { nightEnd } from '../engine/nights/nights.ts';
import { writeReport } from '../server/reports/write-report.ts';

export interface NightReportsParts {
  readonly engine: Pick<Engine, 'nights' | 'review'> & { readonly projects: Pick<Engine['projects'], 'list'> };
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class NightReports {
  readonly #parts: NightReportsParts;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: NightReportsParts) {
    this.#parts = parts;
  }

  /** The work in these projects is over. */
  ended(projectIds: readonly string[]): void {
    const night = this.#parts.engine.nights.ended(projectIds);
    this.#writing = this.#writing.then(() => this.#write(projectIds, night));
  }

  /** Resolves when all reports are written. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #write(projectIds: readonly string[], night: number): Promise<void> {
    const { engine, logger, ...host } = this.#parts;
    const fileOf = (takeId: string) => engine.review.file(takeId, 1);
    for (const { id, path } of engine.projects.list().filter((project) => projectIds.includes(project.id))) {
      try {
        const report = await engine.nights.report({ since: night, until: nightEnd(night), projectId: id });
        await writeReport(path, report, { ...host, logger, fileOf });
      } catch (error) {
        // A disk that is away or full: `dailies report --html` and the window make it again.
        logger.warn('The report of a night was not written', { project: id, reason: messageOf(error) });
      }
    }
  }
}
