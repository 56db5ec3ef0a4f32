import type { Dialog, MessageBoxOptions } from 'electron';
import { IN_USE, type EngineTrouble } from './engine-messages.ts';

export interface TroublesParts {
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly tryAgain: () => void;
  readonly quit: () => void;
}

type Choice = 'try again' | 'quit' | 'wait';

/** Tells the person, in one dialogue at a time, why there is no engine and what can be done. */
export class Troubles {
  readonly #parts: TroublesParts;
  #open: AbortController | null = null;
  #waitedFor = '';

  constructor(parts: TroublesParts) {
    this.#parts = parts;
  }

  /** The engine works: whatever is being told is over. */
  over(): void {
    this.#open?.abort();
    this.#waitedFor = '';
  }

  couldNotStart({ code, message, remedy }: EngineTrouble): void {
    if (code !== IN_USE) {
      void this.#tell({ type: 'error', message, detail: remedy }, ['try again', 'quit']);
    } else if (this.#waitedFor !== message) {
      // Told once; whoever chose to wait for it is not asked again with every look.
      this.#waitedFor = message;
      void this.#tell({ type: 'info', message, detail: remedy }, ['wait', 'quit']);
    }
  }

  keepsEnding(deaths: number): void {
    const message = 'The engine of Dailies keeps failing.';
    const detail = `It was started ${deaths} times within a few minutes. Nothing is lost, and nothing is sent while it stands still. What is known about it stands in the log.`;
    void this.#tell({ type: 'error', message, detail }, ['try again', 'quit']);
  }

  /** Says again what is waited for: somebody has opened the app a second time and sees nothing. */
  remind(): void {
    this.#waitedFor = '';
  }

  async #tell(what: Pick<MessageBoxOptions, 'type' | 'message' | 'detail'>, choices: readonly Choice[]): Promise<void> {
    if (this.#open) return;
    const open = new AbortController();
    this.#open = open;
    const { response } = await this.#parts.dialog.showMessageBox({
      ...what,
      buttons: choices.map((choice) => buttons[choice]),
      defaultId: 0,
      cancelId: choices.length - 1,
      signal: open.signal,
    });
    this.#open = null;
    if (open.signal.aborted) return;
    const choice = choices[response];
    if (choice === 'try again') this.#parts.tryAgain();
    if (choice === 'quit') this.#parts.quit();
  }
}

const buttons: Readonly<Record<Choice, string>> = { 'try again': 'Try again', quit: 'Quit', wait: 'Wait' };
