import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from './languages.ts';
import { isList, type Message, type MessageKey, type PlainKey, type Value, type ValuesOf } from './message-for.ts';
import type { Text } from './message.ts';

export type { MessageKey, Text } from './message.ts';

type Deck = Readonly<Record<MessageKey, string>>;

/** An import for each language: a process loads the one it speaks. */
const decks: Readonly<Record<Language, () => Promise<{ default: Deck }>>> = {
  en: () => import('./en.json', { with: { type: 'json' } }),
  'zh-CN': () => import('./zh-CN.json', { with: { type: 'json' } }),
};

let language: Language = 'en';
let deck: Deck | null = null;
const formats = new Map<string, IntlMessageFormat>();
const lists = new Map<Language, Intl.ListFormat>();

/** Sets the language of all texts of this process. Wait for it before the first text. */
export async function setLanguage(wanted: Language): Promise<void> {
  deck = (await decks[wanted]()).default;
  language = wanted;
}

export const spoken = (): Language => language;

/** How people who speak the language of this process put names in order, with 2 before 10. */
export const nameOrder = (): Intl.Collator => new Intl.Collator(language, { numeric: true, sensitivity: 'base' });

export function t<Key extends MessageKey>(key: Key, ...[values]: ValuesOf<Key>): string {
  return sayMessage(values === undefined ? { key } : { key, values });
}

/** Asks before it acts, as menus show it: `Rename…`. */
export const withDots = (action: PlainKey): string => t('common.withDots', { action: t(action as 'common.rename') });

/** What earlier versions stored under other keys, or with fewer facts; null where another text says it along. */
const former: ReadonlyMap<string, Message | null> = new Map<string, Message | null>([
  ['defect.strayQuote', { key: 'defect.openQuote' }],
  ['defect.workbookTooSlow', { key: 'defect.workbookTooMuch' }],
  ['defect.workbookUnreadable', { key: 'defect.workbookDamaged' }],
  ['failure.answerNoObject', { key: 'failure.answerNoTask' }],
  ['failure.assetFailedSilently', { key: 'failure.assetFailed', values: { reason: { key: 'failure.noReason' } } }],
  ['failure.busy', { key: 'failure.uploadThrottled' }],
  ['failure.downloadBroke', { key: 'failure.downloadBroke', values: { of: 'other', total: '' } }],
  ['failure.downloadBrokeOf', { key: 'failure.downloadBroke', values: { of: 'known' } }],
  ['failure.fileChangedWhileSent', { key: 'failure.fileChanged' }],
  ['failure.hostUnreachable', { key: 'failure.networkUnreachable' }],
  ['failure.lookupFailed', { key: 'failure.hostNotFound' }],
  ['failure.partGone', { key: 'failure.partChanged' }],
  ['failure.sendingBroke', { key: 'failure.connectionBroke' }],
  ['failure.taskFailedSilently', { key: 'failure.taskFailed', values: { reason: { key: 'failure.noReason' } } }],
  ['remedy.addCreditAndRunAgain', { key: 'remedy.addCredit' }],
  ['remedy.askedAgain', { key: 'remedy.continuesAutomatically' }],
  ['remedy.chooseSheet', { key: 'remedy.openListAgain' }],
  ['remedy.correctFile', { key: 'remedy.correctAndRetry' }],
  ['remedy.correctGroup', { key: 'remedy.writeGroup' }],
  ['remedy.correctShotOrSettings', { key: 'remedy.changeAndRunAgain' }],
  ['remedy.doubleQuotes', { key: 'remedy.closeQuote' }],
  ['remedy.makeAgain', { key: 'remedy.changeShot' }],
  ['remedy.nameEncoding', { key: 'remedy.chooseEncoding' }],
  ['remedy.openOwnFolder', null],
  ['remedy.putBackOrCorrect', { key: 'remedy.putBackThenRetry' }],
  ['remedy.queueNewTake', { key: 'remedy.restoreFileOrNewTake' }],
  ['remedy.removeOrReplace', null],
  ['remedy.saveAsXlsx', { key: 'remedy.saveWorkbookAgain' }],
  ['remedy.setKeyOfService', { key: 'remedy.setKeyAndRunAgain' }],
]);

/** A text that was kept or sent without its words. */
export function sayText(text: Text): string {
  if (typeof text === 'string') return text;
  const known = former.get(text.key);
  if (known === null) return '';
  const { key } = known ?? text;
  if (!Object.hasOwn(deckInUse(), key)) return t('common.unknownMessage', { key });
  try {
    return sayMessage({ key, values: known?.values ? { ...known.values, ...text.values } : text.values });
  } catch {
    // A value is missing that the text of this version names.
    return t('common.unknownMessage', { key: text.key });
  }
}

/** Whole sentences one after the other, as the language of this process joins them; those that are empty are left out. */
export const saySentences = (...sentences: readonly Text[]): string =>
  sentences
    .map(sayText)
    .filter((sentence) => sentence !== '')
    .join(language === 'zh-CN' ? '' : ' ');

/** `sayText` for developers: diagnostics are always English. */
export async function englishSay(): Promise<(text: Text) => string> {
  const english = (await decks.en()).default;
  return (text) => {
    const before = { language, deck };
    [language, deck] = ['en', english];
    try {
      return sayText(text);
    } finally {
      ({ language, deck } = before);
    }
  };
}

function deckInUse(): Deck {
  if (!deck) throw new Error('A text was made before `setLanguage`.');
  return deck;
}

function sayMessage({ key, values = {} }: Message): string {
  const words = Object.entries(values).map(([name, value]) => [name, toWords(value)] as const);
  return String(formatFor(key).format(Object.fromEntries(words)));
}

function toWords(value: Value): string | number {
  if (typeof value === 'number') return value;
  return isList(value) ? listFormat().format(value.map(sayText)) : sayText(value);
}

/** Commas alone: `a, b, c`. */
function listFormat(): Intl.ListFormat {
  const known = lists.get(language);
  if (known) return known;
  const format = new Intl.ListFormat(language, { style: 'narrow', type: 'conjunction' });
  lists.set(language, format);
  return format;
}

function formatFor(key: MessageKey): IntlMessageFormat {
  const name = `${language} ${key}`;
  const known = formats.get(name);
  if (known) return known;
  // Values come from lists and services: a text is never read as markup.
  const format = new IntlMessageFormat(deckInUse()[key], language, undefined, {
    ignoreTag: true,
    requiresOtherClause: false,
  });
  formats.set(name, format);
  return format;
}
