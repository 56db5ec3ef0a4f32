import type { NewReport } from '../../../contract/night-report.ts';
import { api } from '../client.ts';
import { nightToShow } from '../night-to-show.ts';
import { projects } from './projects.svelte.ts';

/** Nights that are over, or need a person, and whose reports no one has opened. Never in the way of anything else. */
class LastNight {
  reports = $state.raw<readonly NewReport[]>([]);
  /** The night that a window tells of in any view, since it opened in one without it. */
  announced = $state.raw<NewReport | null>(null);

  /** Reads them now and each time a person comes back to the window, until the returned function is called. For `$effect`. */
  follow(): () => void {
    const read = () => void this.#read();
    read();
    addEventListener('focus', read);
    return () => removeEventListener('focus', read);
  }

  async announce(): Promise<void> {
    await this.#read();
    this.announced = this.of(null) ?? null;
  }

  /** Of one project; without one, of the project that needs a person most. */
  of(projectId: string | null): NewReport | undefined {
    return projects.all === null ? undefined : nightToShow(this.reports, projectId, projects.all);
  }

  async dismiss({ projectId, night }: NewReport): Promise<void> {
    this.reports = this.reports.filter((each) => each.projectId !== projectId);
    this.announced = null;
    await api.nights.seen({ projectId, night });
  }

  async #read(): Promise<void> {
    // Without an answer the window says so elsewhere.
    this.reports = await api.nights.unseen().catch(() => this.reports);
  }
}

export const lastNight = new LastNight();
