import type { App } from 'electron';
import { languageFor, speak } from '../contract/messages/words.ts';

/** Speaks as the setting `language` says, else as the person's system prefers. */
export function speakAs(app: Pick<App, 'getPreferredSystemLanguages'>, setting: string): void {
  speak(languageFor([setting, ...app.getPreferredSystemLanguages()]));
}
