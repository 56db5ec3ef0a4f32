/** An element with what is in it; `undefined` leaves out an attribute or an element. */
export type Xml = { readonly text: string } | undefined;

type Attributes = Readonly<Record<string, string | number | undefined>>;
type Content = Xml | string | number | readonly Content[];

/** What XML 1.0 cannot hold in any form. */
const NEVER = /[^\P{Cc}\t\n\r]|[\uFFFE\uFFFF]/gu;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text for content and attributes. An apostrophe stays: Final Cut reads its entity as a name. Pure. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(NEVER, '')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

/** In an attribute, a reader takes line breaks for spaces unless they are written as numbers. */
const attribute = (text: string): string => escapeXml(text).replace(/[\r\n\t]/g, (each) => `&#${each.charCodeAt(0)};`);

export function xml(name: string, attributes: Attributes = {}, ...content: readonly Content[]): Xml {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${attribute(String(value))}"`],
  );
  const inside = toText(content);
  const open = `<${name}${given.join('')}`;
  return { text: inside === '' ? `${open}/>` : `${open}>${inside}</${name}>` };
}

/** Elements with nothing but a text in them, by their names. */
export const fields = (values: Readonly<Record<string, Content>>): Xml[] =>
  Object.entries(values).map(([name, value]) => (value === undefined ? undefined : xml(name, {}, value)));

export const xmlDocument = (doctype: string, root: Xml): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE ${doctype}>\n${root?.text ?? ''}\n`;

function toText(content: Content): string {
  if (content === undefined) return '';
  if (typeof content === 'string' || typeof content === 'number') return escapeXml(String(content));
  return 'text' in content ? content.text : content.map(toText).join('');
}
