import type { Logger } from '../../engine/base/ports.ts';
import type { DesktopEvent } from '../../contract/desktop.ts';
import { Notification } from 'electron';
import { existsSync, writeFileSync } from 'node:fs';
import { t } from '../../contract/messages/words.ts';

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

export const QUEUE: DesktopEvent = { type: 'show', view: 'queue', projectId: null, detail: {} };

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
