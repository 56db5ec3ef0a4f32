import { languageFor, languages } from '../../../contract/messages/languages.ts';
import { speak } from '../../../contract/messages/words.ts';
import type { Settings } from '../../../contract/settings.ts';
import { Persisted } from './persisted.svelte.ts';

type Choice = Settings['language'];

const isChoice = (stored: unknown): stored is Choice => ['system', ...languages].some((choice) => choice === stored);

const languageOf = (choice: Choice) => languageFor([choice, ...navigator.languages]);

/** The language of the window. Imported before all else: other modules make texts as they are loaded. */
class WindowLanguage {
  /** Remembered in the window, which speaks before the settings have been read. */
  readonly #choice = new Persisted<Choice>('language', 'system', isChoice);
  readonly #spoken = languageOf(this.#choice.current);

  constructor() {
    speak(this.#spoken);
    document.documentElement.lang = this.#spoken;
  }

  /** Takes what the settings say. Texts that are made already keep their language, so the window loads again for another. */
  follow(choice: Choice): void {
    if (choice === this.#choice.current) return;
    this.#choice.current = choice;
    if (languageOf(choice) !== this.#spoken) location.reload();
  }
}

export const windowLanguage = new WindowLanguage();
