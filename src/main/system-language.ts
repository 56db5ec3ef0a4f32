import { app } from 'electron';
import { languageFor, type Language } from '../contract/messages/languages.ts';

/**
 * Our language for what the person reads on this system. Only this process can know: the page and the engine's process are
 * told by Chromium and ICU of a language that the package has, which may be another.
 */
export const systemLanguage = (): Language => languageFor(app.getPreferredSystemLanguages());
