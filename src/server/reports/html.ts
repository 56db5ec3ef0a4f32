/** Text that is markup already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | false | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What turns the direction of text around it, or is not shown: a name may not reach beyond itself. */
const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

export const escaped = (text: string): string =>
  text.replace(CONTROLS, ' ').replace(/[&<>"']/g, (each) => ESCAPES[each] ?? '');

/** Markup whose parts are escaped, but for those that are markup. */
export function html(markup: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(markup.reduce((text, each, index) => `${text}${textOf(parts[index - 1] ?? null)}${each}`));
}

function textOf(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'number') return String(part);
  return typeof part === 'string' ? escaped(part) : part.map(textOf).join('');
}
