import { ascii } from './containers/source.ts';

/** Reads the first bytes of a file as text, to distinguish a page, a drawing and plain text from media. Pure. */

/** A page is recognised in its very beginning. */
const PAGE_BYTES = 512;

/** Whether the first bytes of a body are those of a web page. */
export function looksLikePage(start: Uint8Array): boolean {
  const head = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, PAGE_BYTES));
  return /^<(?:!doctype\s+html|html|head|body)\b/i.test(firstElement(ascii(head)));
}

export function looksLikeSvg(head: Buffer): boolean {
  return /^<(?:!doctype\s+svg|svg)\b/i.test(firstElement(ascii(head)));
}

/** Whether a head holds nothing but text: UTF-8, whose last character the head may cut, without control characters. */
export function isText(head: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return false;
  }
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

export function looksLikeJson(head: Buffer): boolean {
  return /^[{[]\s*(?:["{[\]}\d-]|$)/.test(withoutMark(ascii(head)));
}

/** What follows the byte order mark, the XML declaration and any comments. */
function firstElement(text: string): string {
  let rest = withoutMark(text);
  for (;;) {
    const end = rest.startsWith('<?xml') ? '?>' : rest.startsWith('<!--') ? '-->' : null;
    if (end === null) return rest;
    const at = rest.indexOf(end);
    if (at === -1) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}

const withoutMark = (text: string): string => text.replace(/^\xef\xbb\xbf/, '').trimStart();
