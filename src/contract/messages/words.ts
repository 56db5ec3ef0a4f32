import { IntlMessageFormat } from 'intl-messageformat';
import en from './en.json' with { type: 'json' };
import zhCN from './zh-CN.json' with { type: 'json' };
import type { MessageParameters } from './parameters.ts';

/** The languages of the texts, by BCP 47 tag. */
export const languages = ['en', 'zh-CN'] as const;
export type Language = (typeof languages)[number];

export type MessageKey = keyof MessageParameters;

/** A text before it has words: what databases, recipes, logs and the wire hold. */
export type Message = { [Key in MessageKey]: Described<Key> }[MessageKey];

type Described<Key extends MessageKey> = keyof MessageParameters[Key] extends never
  ? { readonly key: Key }
  : { readonly key: Key; readonly values: MessageParameters[Key] };

type ValuesOf<Key extends MessageKey> = keyof MessageParameters[Key] extends never
  ? []
  : [values: MessageParameters[Key]];

const decks: Readonly<Record<Language, Readonly<Record<MessageKey, string>>>> = { en, 'zh-CN': zhCN };

let language: Language = 'en';
const formats = new Map<string, IntlMessageFormat>();

/** The language of all texts of this process from now on. A window reloads for another one. */
export function speak(wanted: Language): void {
  language = wanted;
}

/** The language that `speak` set, for what Intl writes: dates, numbers, orders of names. */
export const spoken = (): Language => language;

/** A text in the language of this process. */
export function say<Key extends MessageKey>(key: Key, ...[values]: ValuesOf<Key>): string {
  return String(formatOf(key).format({ ...values }));
}

/** The words of a message that was kept or sent without them. */
export function sayMessage(message: Message): string {
  return String(formatOf(message.key).format('values' in message ? { ...message.values } : {}));
}

function formatOf(key: MessageKey): IntlMessageFormat {
  const name = `${language} ${key}`;
  const known = formats.get(name);
  if (known) return known;
  // Values come from lists and services: a text is never read as markup.
  const format = new IntlMessageFormat(decks[language][key], language, undefined, { ignoreTag: true });
  formats.set(name, format);
  return format;
}

/** The best of our languages for what a person prefers, the most preferred first, as `zh-Hans-CN`, `zh_CN.UTF-8` or `de`. Pure. */
export function languageFor(preferred: readonly string[]): Language {
  for (const each of preferred) {
    const [language] = each.toLowerCase().split(/[-_.@]/, 1);
    const found = languages.find((ours) => ours.split('-', 1)[0] === language);
    if (found) return found;
  }
  return 'en';
}
