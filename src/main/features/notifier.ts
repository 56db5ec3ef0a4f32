import type { Logger } from '../../engine/base/ports.ts';
import type { Work } from './work.ts';
import type { DesktopEvent } from '../../contract/desktop.ts';
import { countsInWords } from '../../contract/in-words.ts';
import type { BatchView } from '../../contract/batch.ts';
import { Notification } from 'electron';
import { existsSync, writeFileSync } from 'node:fs';
import { t, sayText } from '../../contract/messages/words.ts';

/** So many notes lead somewhere when they are clicked; what lies there for longer only brings the window. */
const KEPT = 20;

/** Shows notifications of the system, and calls `follow` with the note that the person has clicked. */
export function createNotifier(follow: (note: Note) => void, logger: Pick<Logger, 'warn'>) {
  /**
   * Keeps a reference to each notification: without one, it is collected together with its click. A 'close' does not
   * end that: Windows sends one when it moves a notification from the screen into a list where it can still be clicked.
   */
  const kept = new Set<Notification>();
  return {
    show(note: Note): void {
      if (!Notification.isSupported()) return;
      const shown = new Notification({ title: note.title, body: note.body });
      kept.add(shown);
      shown.on('click', () => {
        kept.delete(shown);
        follow(note);
      });
      // macOS shows none of an app without a signature, and says so afterwards.
      shown.on('failed', (_event, reason) => {
        kept.delete(shown);
        logger.warn('The system did not show a notification', { reason });
      });
      shown.show();
      const [oldest] = kept;
      if (oldest && kept.size > KEPT) kept.delete(oldest);
    },
  };
}

export type Notifier = ReturnType<typeof createNotifier>;

export interface Note {
  readonly title: string;
  readonly body: string;
  readonly shows: DesktopEvent;
}

/** Reports once that a batch ended, and how, or that the queue stopped early; not to a person who sees the window. */
export function reportEnds(isLookedAt: () => boolean, notifier: Notifier): (work: Work) => void {
  let isHalted = false;
  return ({ ended, halted }) => {
    const isNews = halted !== null && !isHalted;
    isHalted = halted !== null;
    if (isLookedAt()) return;
    for (const batch of ended) notifier.show(toNote(batch));
    if (isNews) notifier.show({ title: t('message.stoppedTitle'), body: sayText(halted), shows: QUEUE });
  };
}

export const QUEUE: DesktopEvent = { type: 'show', view: 'queue', projectId: null, detail: {} };

export function toNote({ id, projectId, name, counts }: BatchView): Note {
  const needsPerson = counts.unknown > 0 || (counts.failed > 0 && counts.saved === 0);
  const title = t(counts.unknown > 0 ? 'notification.decision' : 'notification.done', { batch: name });
  const body = countsInWords(counts);
  const shows: DesktopEvent = needsPerson
    ? { type: 'show', view: 'queue', projectId, detail: { of: projectId, batch: id } }
    : { type: 'show', view: 'review', projectId, detail: { batch: id } };
  return { title, body: body === '' ? t('notification.nothingMade') : body, shows };
}

/** Says once how to come back to an app without window and icon. `file` is there once the person was told. */
export function noteUnseen(file: string, notifier: Notifier): void {
  if (existsSync(file)) return;
  notifier.show({ title: t('notification.goesOnUnseen'), body: t('notification.goesOnUnseenBody'), shows: QUEUE });
  try {
    writeFileSync(file, '');
  } catch {
    // A full disk: it is said again the next time.
  }
}
