import { t } from '../../../../contract/messages/words.ts';
import { MAX_SCRIPT, MAX_VERSIONS } from '../../../../contract/tool.ts';

export interface ToolField {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'long' | 'number';
  readonly placeholder?: string;
  readonly help?: string;
  readonly usual?: string;
  readonly range?: readonly [min: number, max: number];
  readonly isOptional?: true;
  readonly rows?: number;
  readonly takesFile?: true;
  /** Where it is longer than `most`. */
  readonly tooLong?: string;
  readonly most?: number;
}

type Said = (name: string) => string;

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
  fields: [{ name: 'ask', label: t('tools.whatToChange'), type: 'long', placeholder: t('tools.rewriteHint') }],
  ask: (said) => said('ask'),
};

const translate: Tool = {
  id: 'translate',
  label: t('tools.translate'),
  fields: [{ name: 'language', label: t('tools.into'), type: 'text', placeholder: t('tools.languageHint') }],
  ask: (said) => `Translate every prompt into ${said('language')}. Keep what it describes exactly as it is.`,
};

const shorten: Tool = {
  id: 'shorten',
  label: t('tools.shorten'),
  fields: [{ name: 'words', label: t('tools.mostWords'), type: 'number', usual: '40', range: [3, 2000] }],
  ask: (said) => `Shorten every prompt to at most ${said('words')} words. Keep what is seen and heard.`,
};

const vary: Tool = {
  id: 'vary',
  label: t('tools.vary'),
  fields: [
    {
      name: 'rows',
      label: t('tools.rowsEach'),
      type: 'number',
      usual: '3',
      range: [2, MAX_VERSIONS],
      help: t('tools.rowsEachHelp'),
    },
    {
      name: 'how',
      label: t('tools.howTheyDiffer'),
      type: 'long',
      placeholder: t('tools.differHint'),
      isOptional: true,
    },
  ],
  ask: (said) => {
    const how = said('how');
    return `Write versions of every prompt that differ clearly from each other${how === '' ? '' : ` in this: ${how}`}.`;
  },
  versions: (said) => Number(said('rows')),
};

const keepWording: Tool = {
  id: 'keep-wording',
  label: t('tools.keepWording'),
  fields: [
    { name: 'character', label: t('tools.character'), type: 'text', placeholder: t('tools.characterHint') },
    {
      name: 'wording',
      label: t('tools.wording'),
      type: 'long',
      placeholder: t('tools.wordingHint'),
    },
  ],
  ask: (said) =>
    `Wherever ${said('character')} appears, describe ${said('character')} in exactly these words: ` +
    `“${said('wording')}”. Change nothing else.`,
};

export const promptTools: readonly Tool[] = [rewrite, translate, shorten, vary, keepWording];

export const scriptTool: Tool = {
  id: 'script',
  label: t('tools.scriptToShots'),
  fields: [
    {
      ...{ name: 'script', label: t('tools.script'), type: 'long', rows: 12, takesFile: true },
      ...{ placeholder: t('tools.scriptHint'), most: MAX_SCRIPT },
      tooLong: t('tools.scriptTooLong', { most: MAX_SCRIPT }),
    },
    {
      ...{ name: 'ask', label: t('tools.instructions'), type: 'text', isOptional: true },
      placeholder: t('tools.instructionsHint'),
    },
  ],
  ask: (said) => said('ask'),
};

type Instruction =
  | { readonly ok: true; readonly ask: string; readonly versions: number }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> };

/** The instruction made from the fields of a tool; or the problems, by field. */
export function askedOf(tool: Tool, values: Readonly<Record<string, string>>): Instruction {
  const said = (name: string): string => values[name]?.trim() ?? '';
  const problems = problemsIn(tool.fields, values);
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  return { ok: true, ask: tool.ask(said), versions: tool.versions?.(said) ?? 1 };
}

export function problemsIn(
  fields: readonly ToolField[],
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const problems = fields.map((field) => [field.name, problemFor(field, values[field.name]?.trim() ?? '')] as const);
  return Object.fromEntries(problems.filter((each): each is readonly [string, string] => each[1] !== null));
}

/** The longest that the engine accepts, without the words around it. */
const LONGEST = 9000;

function problemFor(field: ToolField, text: string): string | null {
  const { label, type, range, isOptional, most = LONGEST } = field;
  if (text === '') return isOptional ? null : t('tools.fillIn', { label });
  if (text.length > most) return field.tooLong ?? t('tools.tooLong', { most });
  if (type !== 'number' || range === undefined) return null;
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
