import type { Notification, NotificationConstructorOptions } from 'electron';
import type { Note } from './end-of-batch.ts';

export interface NotifierParts {
  readonly isSupported: () => boolean;
  readonly create: (options: NotificationConstructorOptions) => Notification;
  /** The person has clicked. */
  readonly follow: (note: Note) => void;
}

/** Shows notes in the way of the system. */
export class Notifier {
  readonly #parts: NotifierParts;
  /** A notification that nothing refers to is forgotten together with what a click on it does. */
  readonly #shown = new Set<Notification>();

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  show(note: Note): void {
    const { isSupported, create, follow } = this.#parts;
    if (!isSupported()) return;
    const shown = create({ title: note.title, body: note.body });
    this.#shown.add(shown);
    shown.on('click', () => {
      this.#shown.delete(shown);
      follow(note);
    });
    shown.on('close', () => this.#shown.delete(shown));
    shown.show();
  }
}
