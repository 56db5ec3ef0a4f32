import { toast } from 'svelte-sonner';
import { troubleOf } from './client.ts';

/** How long a toast with a way back stays, ms: long enough to read it and to reach for the key. */
const WITH_ACTION_MS = 8000;

interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

/** Says in passing that something was done. Takes one action at most: Undo, or the way to what was made. */
export function tell(message: string, action?: ToastAction): void {
  if (action === undefined) toast(message);
  else toast(message, { duration: WITH_ACTION_MS, action: { label: action.label, onClick: action.run } });
}

/** The way back that the newest toast offers, while it is shown: what the undo key takes. */
let offered: { readonly id: string | number; readonly run: () => void } | null = null;

/** Says what was done and offers to take it back. */
export function tellWithUndo(message: string, undo: () => void | Promise<void>): void {
  const run = () => {
    forget();
    Promise.resolve(undo()).catch(tellTrouble);
  };
  const forget = () => {
    if (offered?.id === id) offered = null;
  };
  const id = toast(message, {
    duration: WITH_ACTION_MS,
    action: { label: 'Undo', onClick: run },
    onAutoClose: forget,
    onDismiss: forget,
  });
  offered = { id, run };
}

/** Something newer can be undone in another way: the key is about that, and the toast about its button alone. */
export function passOver(): void {
  offered = null;
}

export const canUndoOffered = (): boolean => offered !== null;

/** Takes the way back that the newest toast offers. */
export function undoOffered(): void {
  if (offered === null) return;
  const { id, run } = offered;
  run();
  toast.dismiss(id);
}

/** Says that something could not be done, and what to do next. Stays until it is read and closed. */
export function tellTrouble(error: unknown): void {
  const { message, remedy } = troubleOf(error);
  toast.error(message, { description: remedy, duration: Number.POSITIVE_INFINITY, closeButton: true });
}
