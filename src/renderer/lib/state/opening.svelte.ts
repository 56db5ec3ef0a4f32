import { WindowPlace } from '../../../contract/place.ts';
import { api } from '../client.ts';
import { firstPlace } from '../first-place.ts';
import { atMostEvery } from '../throttle.ts';
import { lastNight } from './last-night.svelte.ts';
import { navigation } from './navigation.svelte.ts';
import { projects } from './projects.svelte.ts';

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
