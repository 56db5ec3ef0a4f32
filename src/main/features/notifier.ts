import type { Work } from './work.ts';
import type { DesktopEvent } from '../../contract/desktop.ts';
import { countsInWords } from '../../contract/in-words.ts';
import type { BatchView } from '../../contract/batch.ts';
import type { Notification, NotificationConstructorOptions } from 'electron';
import { say, sayText } from '../../contract/messages/words.ts';

export interface NotifierParts {
  readonly isSupported: () => boolean;
  readonly create: (options: NotificationConstructorOptions) => Notification;
  /** The person has clicked. */
  readonly follow: (note: Note) => void;
  /** macOS shows none of an app without a signature, and says so afterwards. */
  readonly failed: (why: string) => void;
}

/** So many notes lead somewhere when they are clicked; what lies there for longer only brings the window. */
const KEPT = 20;

/** Shows notes in the way of the system. */
export class Notifier {
  readonly #parts: NotifierParts;
  /**
   * Keeps a reference to each notification: without one, it is collected together with its click. A 'close' does not
   * end that: Windows sends one when it moves a notification from the screen into a list where it can still be clicked.
   */
  readonly #shown = new Set<Notification>();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  show(note: Note): void {
    const { isSupported, create, follow, failed } = this.#parts;
    if (!isSupported()) return;
    const shown = create({ title: note.title, body: note.body });
    this.#shown.add(shown);
    shown.on('click', () => {
      this.#shown.delete(shown);
      follow(note);
    });
    shown.on('failed', (_event, why) => {
      this.#shown.delete(shown);
      failed(why);
    });
    shown.show();
    const [oldest] = this.#shown;
    if (oldest && this.#shown.size > KEPT) this.#shown.delete(oldest);
  }
}

/** One notification. */
export interface Note {
  readonly title: string;
  readonly body: string;
  /** What a click on it opens. */
  readonly shows: DesktopEvent;
}

export interface EndOfBatchParts {
  /** Whether the person looks at the window just now: then they see it there. */
  readonly isLookedAt: () => boolean;
  readonly show: (note: Note) => void;
}

/** Reports once that a batch has ended, and how; or that the queue has stopped early. */
export function reportEnds({ isLookedAt, show }: EndOfBatchParts): (work: Work) => void {
  let isHalted = false;
  return ({ ended, halted }) => {
    const isNews = halted !== null && !isHalted;
    isHalted = halted !== null;
    if (isLookedAt()) return;
    for (const batch of ended) show(noteOf(batch));
    if (isNews) show({ title: say('notification.queueStopped'), body: sayText(halted), shows: QUEUE });
  };
}

/** The place that a click on a night's message opens. */
export const QUEUE: DesktopEvent = { type: 'show', view: 'queue', projectId: null, detail: {} };

/** The notification for an ended batch, and its place: what needs the person most. Pure. */
export function noteOf({ id, projectId, name, counts }: BatchView): Note {
  const needsPerson = counts.unknown > 0 || (counts.failed > 0 && counts.saved === 0);
  const title = say(counts.unknown > 0 ? 'notification.decision' : 'notification.done', { batch: name });
  const body = countsInWords(counts);
  const shows: DesktopEvent = needsPerson
    ? { type: 'show', view: 'queue', projectId, detail: { of: projectId, batch: id } }
    : { type: 'show', view: 'review', projectId, detail: { batch: id } };
  return { title, body: body === '' ? say('notification.nothingMade') : body, shows };
}
