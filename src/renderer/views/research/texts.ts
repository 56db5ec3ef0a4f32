import { requestFor, toolFields, usualValues, type FormValues } from '../../../contract/tool-fields.ts';
import type { ReadPageRequest, SearchRequest, WebFinding } from '../../../contract/tool.ts';

export interface AskedForm {
  /** The question, or the address of a page. */
  about: string;
  values: FormValues;
}

export const emptyForm = (tool: keyof typeof toolFields): AskedForm => ({
  about: '',
  values: usualValues(toolFields[tool]),
});

type Asked<Request> = Omit<Request, 'projectId' | 'isAgreed'>;

export const searchFor = ({ about, values }: AskedForm, page: number): Asked<SearchRequest> => ({
  ...{ query: about.trim(), page },
  ...requestFor(toolFields.search, values),
});

export const toPage = ({ about, values }: AskedForm): Asked<ReadPageRequest> => ({
  url: webAddress(about) ?? '',
  ...requestFor(toolFields.read, values),
});

/**
 * The address of a page in full; null for a text that is none. `lights.example` is one: people leave out `https://`.
 */
export function webAddress(text: string): string | null {
  const written = text.trim();
  if (written === '' || /\s/.test(written)) return null;
  const url = URL.parse(/^[a-z][a-z\d+.-]*:/i.test(written) ? written : `https://${written}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url.href : null;
}

/** The host of an address, as people name a page; empty for a text that is no address. */
export const toHost = (url: string): string => URL.parse(url)?.host ?? '';

/** So much of a page is proposed for a note: the rest stays in the clipping. */
const LONGEST = 600;

/** The proposed note for a row: source and date, then the beginning of the text. Pure. */
export function toNote({ title, url, date, text }: WebFinding): string {
  const source = [title === url ? '' : title, date ?? '', url].filter(Boolean).join(', ');
  const words = text.replaceAll(/\s+/g, ' ').trim();
  const beginning = words.length > LONGEST ? `${words.slice(0, LONGEST).toWellFormed().trimEnd()}…` : words;
  return [source, beginning].filter(Boolean).join('\n');
}

export const withNote = (notes: string, note: string): string =>
  [notes.trim(), note.trim()].filter(Boolean).join('\n\n');

/** The column of a list that holds the notes, and the one to add when there is none. */
export function notesColumn(columns: readonly { readonly column: string | null }[]): {
  readonly index: number;
  readonly added: readonly string[];
} {
  const index = columns.findIndex(({ column }) => column === 'notes');
  return index >= 0 ? { index, added: [] } : { index: columns.length, added: ['notes'] };
}
