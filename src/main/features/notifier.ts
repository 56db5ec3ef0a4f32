import type { Notification, NotificationConstructorOptions } from 'electron';
import type { Note } from './end-of-batch.ts';

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
   * A notification that nothing refers to is forgotten together with what a click on it does. 'close' is no reason to:
   * Windows says so when it moves one away from the screen, into a list where it can still be clicked.
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
