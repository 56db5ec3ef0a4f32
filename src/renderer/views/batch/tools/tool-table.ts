import { t } from '../../../../contract/messages/words.ts';
import { MAX_SCRIPT, MAX_VERSIONS } from '../../../../contract/tool.ts';

export interface ToolField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly help?: string;
  readonly usual?: string;
  /** Of a whole number. */
  readonly range?: readonly [min: number, max: number];
  readonly isOptional?: true;
  readonly rows?: number;
  readonly takesFile?: true;
  /** Where it is longer than `most`. */
  readonly tooLong?: string;
  readonly most?: number;
}

/** What a person filled in, by the names of the fields, without blanks around it. */
export type Said = Readonly<Record<string, string>>;

export interface Tool {
  readonly id: string;
  readonly label: string;
  /** In tinykeys' notation. */
  readonly keys?: string;
  readonly fields: readonly ToolField[];
  readonly ask: (said: Said) => string;
  /** How many new prompts are wanted of each; one without it. */
  readonly versions?: (said: Said) => number;
}

const rewrite: Tool = {
  id: 'rewrite',
  label: t('tools.rewrite'),
  keys: '$mod+j',
  fields: [{ name: 'ask', label: t('tools.whatToChange'), rows: 3, placeholder: t('tools.rewriteHint') }],
  ask: ({ ask = '' }) => ask,
};

const translate: Tool = {
  id: 'translate',
  label: t('tools.translate'),
  fields: [{ name: 'language', label: t('tools.into'), placeholder: t('tools.languageHint') }],
  ask: ({ language = '' }) => `Translate every prompt into ${language}. Keep what it describes exactly as it is.`,
};

const shorten: Tool = {
  id: 'shorten',
  label: t('tools.shorten'),
  fields: [{ name: 'words', label: t('tools.mostWords'), usual: '40', range: [3, 2000] }],
  ask: ({ words = '' }) => `Shorten every prompt to at most ${words} words. Keep what is seen and heard.`,
};

const vary: Tool = {
  id: 'vary',
  label: t('tools.vary'),
  fields: [
    {
      name: 'rows',
      label: t('tools.rowsEach'),
      usual: '3',
      range: [2, MAX_VERSIONS],
      help: t('tools.rowsEachHelp'),
    },
    {
      name: 'how',
      label: t('tools.howTheyDiffer'),
      rows: 3,
      placeholder: t('tools.differHint'),
      isOptional: true,
    },
  ],
  ask: ({ how = '' }) =>
    `Write versions of every prompt that differ clearly from each other${how === '' ? '' : ` in this: ${how}`}.`,
  versions: ({ rows }) => Number(rows),
};

const keepWording: Tool = {
  id: 'keep-wording',
  label: t('tools.keepWording'),
  fields: [
    { name: 'character', label: t('tools.character'), placeholder: t('tools.characterHint') },
    {
      name: 'wording',
      label: t('tools.wording'),
      rows: 3,
      placeholder: t('tools.wordingHint'),
    },
  ],
  ask: ({ character = '', wording = '' }) =>
    `Wherever ${character} appears, describe ${character} in exactly these words: ` +
    `“${wording}”. Change nothing else.`,
};

export const promptTools: readonly Tool[] = [rewrite, translate, shorten, vary, keepWording];

export const scriptTool: Tool = {
  id: 'script',
  label: t('tools.scriptToShots'),
  fields: [
    {
      ...{ name: 'script', label: t('tools.script'), rows: 12, takesFile: true },
      ...{ placeholder: t('tools.scriptHint'), most: MAX_SCRIPT },
      tooLong: t('tools.scriptTooLong', { most: MAX_SCRIPT }),
    },
    {
      ...{ name: 'ask', label: t('tools.instructions'), isOptional: true },
      placeholder: t('tools.instructionsHint'),
    },
  ],
  ask: ({ ask = '' }) => ask,
};

export function problemsIn(fields: readonly ToolField[], said: Said): Readonly<Record<string, string>> {
  const problems = fields.map((field) => [field.name, problemFor(field, said[field.name] ?? '')] as const);
  return Object.fromEntries(problems.filter((each): each is readonly [string, string] => each[1] !== null));
}

/** The longest that the engine accepts, without the words around it. */
const LONGEST = 9000;

function problemFor(field: ToolField, text: string): string | null {
  const { label, range, isOptional, most = LONGEST } = field;
  if (text === '') return isOptional ? null : t('tools.fillIn', { label });
  if (text.length > most) return field.tooLong ?? t('tools.tooLong', { most });
  if (range === undefined) return null;
  const [min, max] = range;
  const isFine = /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return isFine ? null : t('tools.wholeNumber', { min, max });
}

/** Size of the longest script in any alphabet, bytes. */
const LARGEST = MAX_SCRIPT * 4;

/** The text of a file that a person dropped. Throws with words for people when it is none. */
export async function textOfFile(file: File): Promise<string> {
  if (file.size > LARGEST) throw new Error(t('tools.fileTooLarge', { name: file.name }));
  const text = decoded(new Uint8Array(await file.arrayBuffer()));
  if (text.includes('\0')) throw new Error(t('tools.notTextFile', { name: file.name }));
  return text;
}

/** UTF-8, UTF-16 with its mark, else what older Windows programs write. */
export function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
