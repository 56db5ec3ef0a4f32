import type { NewReport } from '../../../contract/night-report.ts';
import { api } from '../client.ts';
import { nightToShow } from '../night-to-show.ts';
import { atMostEvery } from '../throttle.ts';
import { changeStream } from './changes.svelte.ts';
import { projects } from './projects.svelte.ts';

/** How often the report of a night that goes on is read at most, ms: it adds up all of its takes. */
const READ_EVERY_MS = 15_000;

/** Nights that are over, or need a person, and whose reports no one has opened. Never in the way of anything else. */
class LastNight {
  reports = $state.raw<readonly NewReport[]>([]);
  /** Whether the window tells of it in any view: it opened in one that has no place for it. */
  isAnnounced = $state(false);

  /** Reads them now, at each return to the window and while a night goes on, until the returned function is called. */
  follow(): () => void {
    const read = () => void this.read();
    const readSoon = atMostEvery(READ_EVERY_MS, () => this.read());
    const unlisten = changeStream.listen((changes) => {
      if (this.reports.some(({ isOver, projectId }) => !isOver && changes.projects.includes(projectId))) readSoon();
    });
    read();
    addEventListener('focus', read);
    return () => {
      removeEventListener('focus', read);
      unlisten();
    };
  }

  of(projectId: string | null): NewReport | undefined {
    return projects.all === null ? undefined : nightToShow(this.reports, projectId, projects.all);
  }

  async dismiss({ projectId, night }: NewReport): Promise<void> {
    this.reports = this.reports.filter((each) => each.projectId !== projectId);
    this.isAnnounced = false;
    await api.nights.seen({ projectId, night });
  }

  async read(): Promise<void> {
    // Without an answer the window says so elsewhere.
    this.reports = await api.nights.unseen().catch(() => this.reports);
  }
}

export const lastNight = new LastNight();
