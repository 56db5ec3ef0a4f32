import type { Dialog, MessageBoxOptions } from 'electron';
import { IN_USE, type EngineTrouble } from './engine-messages.ts';
import { say, sayText } from '../contract/messages/words.ts';

export interface TroublesParts {
  readonly dialog: Pick<Dialog, 'showMessageBox'>;
  readonly tryAgain: () => void;
  readonly quit: () => void;
}

type Choice = 'common.tryAgain' | 'common.quit' | 'common.wait';

/** Shows why there is no engine and what to do, one dialog at a time. */
export class Troubles {
  readonly #parts: TroublesParts;
  #open: AbortController | null = null;
  #waitedFor = '';

  constructor(parts: TroublesParts) {
    this.#parts = parts;
  }

  /** The engine works again: closes the dialog. */
  over(): void {
    this.#open?.abort();
    this.#waitedFor = '';
  }

  couldNotStart({ code, ...trouble }: EngineTrouble): void {
    const [message, remedy] = [sayText(trouble.message), sayText(trouble.remedy)];
    if (code !== IN_USE) {
      void this.#tell({ type: 'error', message, detail: remedy }, ['common.tryAgain', 'common.quit']);
    } else if (this.#waitedFor !== message) {
      // Shown once: a person who chose to wait is not asked again at every check.
      this.#waitedFor = message;
      void this.#tell({ type: 'info', message, detail: remedy }, ['common.wait', 'common.quit']);
    }
  }

  keepsEnding(deaths: number): void {
    const message = say('desktop.engineFailing');
    const detail = say('desktop.engineFailingDetail', { count: deaths });
    void this.#tell({ type: 'error', message, detail }, ['common.tryAgain', 'common.quit']);
  }

  /** Shows the wait again: the person has opened the app a second time and sees nothing. */
  remind(): void {
    this.#waitedFor = '';
  }

  async #tell(what: Pick<MessageBoxOptions, 'type' | 'message' | 'detail'>, choices: readonly Choice[]): Promise<void> {
    if (this.#open) return;
    const open = new AbortController();
    this.#open = open;
    const { response } = await this.#parts.dialog.showMessageBox({
      ...what,
      buttons: choices.map((choice) => say(choice)),
      defaultId: 0,
      cancelId: choices.length - 1,
      signal: open.signal,
    });
    this.#open = null;
    if (open.signal.aborted) return;
    const choice = choices[response];
    if (choice === 'common.tryAgain') this.#parts.tryAgain();
    if (choice === 'common.quit') this.#parts.quit();
  }
}
