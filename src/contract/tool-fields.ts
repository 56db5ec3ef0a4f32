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

export const toolFields: Readonly<Record<'search' | 'read', readonly ToolField[]>> = {
  search: [
    {
      ...{ name: 'area', flag: '--area <area>', label: 'research.area' },
      ...{ control: 'choice', usual: 'global' },
      choices: [
        ['global', 'research.global'],
        ['cn', 'research.china'],
      ],
    },
    {
      ...{ name: 'freshness', flag: '--freshness <time>', label: 'research.published' },
      ...{ control: 'choice', usual: '' },
      choices: [
        ['', 'spending.allTime'],
        ['Day', 'research.lastDay'],
        ['Week', 'research.lastWeek'],
        ['Month', 'research.lastMonth'],
        ['Year', 'research.lastYear'],
      ],
    },
    {
      ...{ name: 'count', flag: '--count <n>', label: 'research.results' },
      ...{ control: 'number', usual: '10', offered: ['5', '10', '20', '50'] },
    },
    { name: 'page', flag: '--page <n>', label: 'cli.optPage', control: 'page' },
    {
      ...{ name: 'includeImages', flag: '--images', label: 'research.pictureAddresses' },
      ...{ control: 'switch', usual: true },
    },
  ],
  read: [
    {
      ...{ name: 'format', flag: '--format <format>', label: 'research.format' },
      ...{ control: 'choice', usual: 'markdown' },
      choices: [
        ['markdown', 'Markdown'],
        ['text', 'research.plainText'],
      ],
    },
    {
      ...{ name: 'liteMode', flag: '--lite', label: 'research.lite' },
      ...{ control: 'switch', usual: false },
    },
    {
      ...{ name: 'onlyCSSSelectors', flag: '--only <selector...>', label: 'research.onlyParts' },
      ...{ control: 'selectors', usual: '', placeholder: 'article; h2' },
    },
    {
      ...{ name: 'waitForCSSSelectors', flag: '--wait-for <selector...>' },
      ...{ control: 'selectors', label: 'research.waitFor', usual: '', placeholder: '.content' },
    },
    {
      ...{ name: 'includeImages', flag: '--no-images', label: 'library.images' },
      ...{ control: 'switch', usual: true },
    },
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
