import { LANGUAGE_PARAMETER } from '../../../contract/bridge.ts';
import { languageFor, languages } from '../../../contract/messages/languages.ts';
import { setLanguage, spoken } from '../../../contract/messages/words.ts';
import type { Settings } from '../../../contract/settings.ts';
import { keep, kept } from './persisted.svelte.ts';

type Choice = Settings['language'];

const isChoice = (stored: unknown): stored is Choice => ['system', ...languages].some((choice) => choice === stored);

/** In the app as its main process knows it: Chromium begins its own list with a language that the package has. */
function systemLanguages(): readonly string[] {
  const told = new URLSearchParams(location.search).get(LANGUAGE_PARAMETER);
  return told === null ? navigator.languages : [told];
}

const toLanguage = (choice: Choice) => languageFor([choice, ...systemLanguages()]);

/** Kept in the window, which speaks before the settings have been read. */
function choiceOfLastVisit(): Choice {
  const stored = kept('language');
  return isChoice(stored) ? stored : 'system';
}

/** Has the window speak its language. Before all else: other modules make texts as they are loaded. */
export async function restoreLanguage(): Promise<void> {
  const language = toLanguage(choiceOfLastVisit());
  document.documentElement.lang = language;
  await setLanguage(language);
}

export function followLanguage(choice: Choice): void {
  if (choice === choiceOfLastVisit()) return;
  keep('language', choice);
  if (toLanguage(choice) !== spoken()) location.reload();
}
