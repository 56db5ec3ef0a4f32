import { existsSync, writeFileSync } from 'node:fs';
import { say } from '../../contract/messages/words.ts';
import { QUEUE, type Note } from './notifier.ts';

export interface UnseenNoteParts {
  /** There once the person was told. */
  readonly file: string;
  readonly show: (note: Note) => void;
}

/** Says, once and for all, how to come back to an app that goes on without a window and without an icon to be seen. */
export function noteUnseen({ file, show }: UnseenNoteParts): void {
  if (existsSync(file)) return;
  show({ title: say('notification.goesOnUnseen'), body: say('notification.goesOnUnseenBody'), shows: QUEUE });
  try {
    writeFileSync(file, '');
  } catch {
    // A full disk: it is said again the next time.
  }
}
