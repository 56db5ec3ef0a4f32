import type { Clock } from '../base/ports.ts';
import type { NewReport, NightReport } from '../../contract/night-report.ts';
import { OPENED_BY } from './night-report.ts';
import { readNight, type NightSources } from './read-night.ts';
import type { WaitRecorder } from './wait-recorder.ts';

export interface ReportWanted {
  readonly since: number;
  readonly until: number;
  readonly projectId?: string | undefined;
}

export interface NightsParts extends Omit<NightSources, 'settings'> {
  readonly settings: () => NightSources['settings'];
  readonly keeper: WaitRecorder;
  readonly clock: Clock;
  /** When the night that contains a time began, ms. */
  readonly nightStart: (at: number) => number;
  readonly isRunning: () => boolean;
  /** Called with each beat, for what no event announces: a clock that was set back, settings that another program wrote. */
  readonly onBeat: () => void;
}

/** How long a night stays news, ms. */
const NEWS_MS = 7 * 24 * 3_600_000;
const KEPT_MS = 90 * 24 * 3_600_000;
/** The longest time from the start of a night to its end: the next noon may be 25 hours away. */
const LONGEST_NIGHT_MS = 25 * 3_600_000;

/** The results of nights, for hosts. */
export class Nights {
  readonly #parts: NightsParts;

  constructor(parts: NightsParts) {
    this.#parts = parts;
  }

  report({ since, until, projectId }: ReportWanted): Promise<NightReport> {
    const { settings, clock, isRunning } = this.#parts;
    const wanted = { since, until, projectId, now: clock.now(), isRunning: isRunning() };
    return readNight({ ...this.#parts, settings: settings() }, wanted);
  }

  /** Call this about once a minute: also notices a clock that was set back. `isAtWork`: something progresses automatically. */
  beat(isAtWork: boolean): void {
    this.#parts.onBeat();
    this.#parts.keeper.beat(isAtWork);
  }

  /** The queue has finished: the nights of these projects become news. Returns when the night began, ms. */
  ended(projectIds: readonly string[]): number {
    const { nights, clock, nightStart } = this.#parts;
    const at = clock.now();
    const night = nightStart(at);
    nights.forgetBefore(at - KEPT_MS);
    for (const projectId of projectIds) nights.ended(projectId, night, at);
    return night;
  }

  /**
   * The last night of each listed project, if no person has looked at its report: one that is over, or one that goes on and
   * needs a person. The newest first.
   */
  async unseen(): Promise<NewReport[]> {
    const { nights, projects, clock, nightStart } = this.#parts;
    const listed = new Map(projects.list().map(({ id, name }) => [id, name] as const));
    const tonight = nightStart(clock.now());
    const needing = nights.needing(tonight, Object.keys(OPENED_BY));
    const found = [
      ...needing.map((projectId) => ({ projectId, night: tonight, isOver: false })),
      ...nights
        .unseen(clock.now() - NEWS_MS)
        .filter(({ projectId }) => !needing.includes(projectId))
        .map((night) => ({ ...night, isOver: true })),
    ];
    const reports: NewReport[] = [];
    for (const { projectId, night, isOver } of found) {
      const project = listed.get(projectId);
      if (project === undefined) continue;
      reports.push({ projectId, project, isOver, night, report: await this.report(this.#nightOf(night, projectId)) });
    }
    return reports;
  }

  seen(projectId: string, night: number): void {
    const { nights, clock, nightStart } = this.#parts;
    nights.seen(projectId, night, clock.now(), { isTonight: night === nightStart(clock.now()) });
  }

  #nightOf(night: number, projectId: string): ReportWanted {
    return { since: night, until: nightEnd(night, this.#parts.nightStart), projectId };
  }
}

/** When a night that began at `night` ends: the next noon. */
export const nightEnd = (night: number, nightStart: (at: number) => number): number =>
  nightStart(night + LONGEST_NIGHT_MS + 3_600_000);
