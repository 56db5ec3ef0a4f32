import type { NewReport } from '../../../contract/night-report.ts';
import { api } from '../client.ts';

/** Nights that are over and whose reports no one has opened. Never in the way of anything else. */
class LastNight {
  reports = $state.raw<readonly NewReport[]>([]);

  /** Reads them now and each time a person comes back to the window, until the returned function is called. For `$effect`. */
  follow(): () => void {
    const read = () => {
      // Without an answer the window says so elsewhere.
      api.nights.unseen().then(
        (reports) => (this.reports = reports),
        () => undefined,
      );
    };
    read();
    addEventListener('focus', read);
    return () => removeEventListener('focus', read);
  }

  /** Of one project; without one, the newest. */
  of(projectId: string | null): NewReport | undefined {
    return this.reports.find((each) => projectId === null || each.projectId === projectId);
  }

  async dismiss({ projectId, night }: NewReport): Promise<void> {
    this.reports = this.reports.filter((each) => each.projectId !== projectId);
    await api.nights.seen({ projectId, night });
  }
}

export const lastNight = new LastNight();
