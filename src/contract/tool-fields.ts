import type { PlainKey } from './messages/message-for.ts';

/** What a person may choose for a call of a tool: an option of the command line, and a field of the window's form. */
export type ToolField = {
  readonly name: string;
  /** `--area <area>` */
  readonly flag: `--${string}`;
} & (
  | {
      readonly control: 'choice';
      readonly label: PlainKey;
      readonly usual: string;
      readonly choices: readonly Choice[];
    }
  | {
      readonly control: 'number';
      readonly label: PlainKey;
      readonly usual: string;
      readonly offered: readonly string[];
    }
  | { readonly control: 'switch'; readonly label: PlainKey; readonly usual: boolean }
  /** CSS selectors, in the form with a semicolon between two: no selector has one. */
  | { readonly control: 'selectors'; readonly label: PlainKey; readonly usual: ''; readonly placeholder: string }
  /** Turned by buttons of the form. */
  | { readonly control: 'page'; readonly label: PlainKey }
);

type Choice = readonly [value: string, label: PlainKey | 'Markdown'];

type Named = readonly [name: string, flag: ToolField['flag'], label: PlainKey];

const named = ([name, flag, label]: Named) => ({ name, flag, label });

const choice = (usual: string, choices: readonly Choice[], ...of: Named): ToolField => {
  return { ...named(of), control: 'choice', usual, choices };
};
const onOff = (usual: boolean, ...of: Named): ToolField => ({ ...named(of), control: 'switch', usual });
const selectors = (placeholder: string, ...of: Named): ToolField => {
  return { ...named(of), control: 'selectors', usual: '', placeholder };
};

const AREAS: readonly Choice[] = [
  ['global', 'research.global'],
  ['cn', 'research.china'],
];
const TIMES: readonly Choice[] = [
  ['', 'spending.allTime'],
  ['Day', 'research.lastDay'],
  ['Week', 'research.lastWeek'],
  ['Month', 'research.lastMonth'],
  ['Year', 'research.lastYear'],
];
const FORMATS: readonly Choice[] = [
  ['markdown', 'Markdown'],
  ['text', 'research.plainText'],
];

export const toolFields: Readonly<Record<'search' | 'read', readonly ToolField[]>> = {
  search: [
    choice('global', AREAS, 'area', '--area <area>', 'research.area'),
    choice('', TIMES, 'freshness', '--freshness <time>', 'research.published'),
    {
      ...named(['count', '--count <n>', 'research.results']),
      ...{ control: 'number', usual: '10', offered: ['5', '10', '20', '50'] },
    },
    { name: 'page', flag: '--page <n>', label: 'cli.optPage', control: 'page' },
    onOff(true, 'includeImages', '--images', 'research.pictureAddresses'),
  ],
  read: [
    choice('markdown', FORMATS, 'format', '--format <format>', 'research.format'),
    onOff(false, 'liteMode', '--lite', 'research.lite'),
    selectors('article; h2', 'onlyCSSSelectors', '--only <selector...>', 'research.onlyParts'),
    selectors('.content', 'waitForCSSSelectors', '--wait-for <selector...>', 'research.waitFor'),
    onOff(true, 'includeImages', '--no-images', 'library.images'),
  ],
};

export type FormValues = Record<string, string | boolean>;

export const usualValues = (fields: readonly ToolField[]): FormValues =>
  Object.fromEntries(fields.flatMap((field) => (field.control === 'page' ? [] : [[field.name, field.usual]])));

export function requestFor(fields: readonly ToolField[], values: FormValues): Readonly<Record<string, unknown>> {
  const chosen = fields.map(({ name, control }) => [name, valueFor(control, values[name])] as const);
  return Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
}

function valueFor(control: ToolField['control'], value: string | boolean | undefined): unknown {
  if (value === '') return undefined;
  if (control === 'number') return Number(value);
  if (control !== 'selectors') return value;
  const selectors = String(value)
    .split(';')
    .map((selector) => selector.trim())
    .filter(Boolean);
  return selectors.length === 0 ? undefined : selectors;
}
