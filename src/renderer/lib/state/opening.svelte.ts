import { WindowPlace } from '../../../contract/place.ts';
import { api } from '../client.ts';
import { firstPlace, nightToShow } from '../first-place.ts';
import { atMostEvery } from '../throttle.ts';
import { navigation } from './navigation.svelte.ts';
import { projects } from './projects.svelte.ts';
import type { NewReport } from '../../../contract/night-report.ts';
import { changeStream } from './changes.svelte.ts';

/** How often the engine is told at most where the window is, ms. */
const KEEP_EVERY_MS = 1000;

/** Opens a window without an address where a window was last, and keeps where this one is for the next. */
class Opening {
  isDone = $state(false);

  /** Call once the window was let in, and the projects are being read. */
  async begin(): Promise<void> {
    this.isDone = location.hash !== '';
    if (this.isDone) return;
    const [last] = await Promise.all([api.places.last().catch(() => null), projects.wasRead, lastNight.read()]);
    // A notification, or a list that was opened with the app, may have led the window somewhere meanwhile.
    if (location.hash === '') {
      navigation.replace(
        firstPlace(last, { listed: projects.all ?? [], archived: projects.archived, night: lastNight.of(null) }),
      );
      lastNight.isAnnounced = navigation.place.view !== 'projects';
    }
    this.isDone = true;
  }

  readonly keepSoon = atMostEvery(KEEP_EVERY_MS, async () => {
    const place = WindowPlace.safeParse(navigation.place).data ?? { ...navigation.place, detail: {} };
    // Without an answer, the next window opens where the last one was that had one.
    await api.places.keep(place).catch(() => undefined);
  });

  /** Keeps where the window is, and again when a person comes back to it, until the returned function is called. For `$effect`. */
  keep(): () => void {
    if (!this.isDone) return () => undefined;
    void navigation.place;
    this.keepSoon();
    addEventListener('focus', this.keepSoon);
    return () => removeEventListener('focus', this.keepSoon);
  }
}

export const opening = new Opening();

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
