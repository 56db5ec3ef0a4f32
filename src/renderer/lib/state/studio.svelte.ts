import type { JobView } from '../../../contract/job.ts';
import { t } from '../../../contract/messages/words.ts';
import type { StudioView } from '../../../contract/studio.ts';
import { api, toTrouble, type Trouble } from '../client.ts';
import { clockTime } from '../format.ts';
import type { MarkedWord } from '../words.ts';
import { changeStream } from './changes.svelte.ts';

/** Signs of life and counts change without an event. */
const EVERY_MS = 5000;

class StudioState {
  /** Null where this data folder belongs to none; undefined until that is known. */
  current = $state.raw<StudioView | null>();
  hostName = $state('');
  trouble = $state.raw<Trouble | null>(null);

  async read(): Promise<void> {
    try {
      ({ studio: this.current, hostName: this.hostName } = await api.studio.get());
      this.trouble = null;
    } catch (error) {
      this.trouble = toTrouble(error);
    }
  }

  /** Keeps it up to date until the returned function is called. For `$effect`. */
  follow(): () => void {
    void this.read();
    const timer = setInterval(() => void (this.current && this.read()), EVERY_MS);
    const leave = changeStream.listen(({ resync, queue }) => {
      if (resync || (queue !== null && this.current)) void this.read();
    });
    return () => {
      clearInterval(timer);
      leave();
    };
  }

  /** Why nothing new is sent, and what to do; null while it is connected. */
  readonly stopped = $derived.by((): MarkedWord | null => {
    const { current } = this;
    if (!current) return null;
    const time = clockTime(current.since).slice(0, 5);
    switch (current.state) {
      case 'connecting':
      case 'connected':
        return null;
      case 'away':
        return { word: t('studio.awaySince', { time }), tone: 'unsure' };
      case 'halted':
        return { word: t('studio.haltedNow'), tone: 'bad' };
      case 'fenced':
        return { word: t('studio.fencedNow'), tone: 'bad' };
      case 'refused':
        return { word: t('studio.refusedNow'), tone: 'bad' };
    }
  });

  /** Who has a take that this machine does not work on; null for any other. */
  whereIs({ paused, worker = '' }: Pick<JobView, 'paused' | 'worker'>): string | null {
    if (paused !== 'elsewhere') return null;
    if (worker === '') return t('studio.takeWaits');
    const person = this.current?.members?.machines.find(({ name }) => name === worker)?.person;
    return person === undefined
      ? t('studio.takeAt', { machine: worker })
      : t('studio.takeOf', { person, machine: worker });
  }

  /** Whether takes of a project can go to the studio, and why not. */
  forProject({ id, path }: { readonly id: string; readonly path: string }): {
    readonly isOfStudio: boolean;
    readonly obstacle: string | null;
  } {
    const { current } = this;
    const isOfStudio = current?.members?.projects.some((project) => project.id === id) === true;
    if (!current) return { isOfStudio, obstacle: null };
    const roots = Object.values(current.roots).map(slashed);
    const isUnder = roots.some((root) => slashed(path).startsWith(`${root}/`));
    if (!isUnder) return { isOfStudio, obstacle: t('start.studioNoRoot') };
    return { isOfStudio, obstacle: current.state === 'connected' ? null : t('start.studioStopped') };
  }
}

const slashed = (path: string): string => path.replaceAll('\\', '/').replace(/\/$/, '');

export const studio = new StudioState();
