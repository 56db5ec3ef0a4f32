import { messageFor, type Text } from '../../contract/messages/message.ts';
import { extname } from 'node:path/posix';
import { fileTypeFromBuffer } from 'file-type';
import { formatNamed, formats, formatTyped, type Medium, type OutputFormat } from '../../contract/formats.ts';
import type { OpenFile } from '../files/project-files.ts';
import { checkAdts, checkMp3, checkOgg } from './containers/mp3.ts';
import { checkFlac } from './containers/flac.ts';
import { checkIsoMedia } from './containers/iso-media.ts';
import { checkGif, checkJpeg, checkPng } from './containers/pictures.ts';
import { ascii, ByteSource, ContainerProblem, cutOff } from './containers/source.ts';
import { checkWebm } from './containers/webm.ts';
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../api/answer.ts';

export type Inspection = { readonly format: OutputFormat; readonly verified: boolean } | { readonly problem: Text };

/** What others said a file is: asked only where its content does not show it. */
export interface Claims {
  readonly contentType?: string | undefined;
  readonly url?: string | undefined;
  /** The medium ordered. Text counts only where words were ordered: elsewhere it is an error of the service. */
  readonly medium?: Medium | undefined;
}

const HEAD_BYTES = 4100;
/** Shorter than this, what cannot be recognised is the beginning of something rather than a file. */
const LEAST_BYTES = 64;

/** How each format is checked for wholeness. A format that is not here is kept as it came. */
const checks: Partial<Record<OutputFormat, (source: ByteSource) => Promise<unknown>>> = {
  mp4: checkIsoMedia,
  m4a: checkIsoMedia,
  webm: checkWebm,
  png: checkPng,
  jpg: checkJpeg,
  gif: checkGif,
  webp: checkWebp,
  wav: checkWav,
  mp3: checkMp3,
  aac: checkAdts,
  flac: checkFlac,
  ogg: checkOgg,
  opus: checkOgg,
};

const isChecked = (format: OutputFormat): boolean => Object.hasOwn(checks, format);

/**
 * Recognises a file by its content and checks by its structure that it is whole: it is read, never decoded, with
 * bounded memory, and nothing in it is trusted. Throws only what reading the disk throws.
 */
export async function inspectFile(file: OpenFile, claims: Claims = {}): Promise<Inspection> {
  const source = new ByteSource(file);
  try {
    if (source.size === 0) return { problem: messageFor('failure.resultEmpty') };
    const words = claims.medium === 'words' ? await wordsFormat(source) : null;
    if (words !== null) return { format: words, verified: true };
    const head = Buffer.from(await source.bytesUpTo(0, HEAD_BYTES));
    if (looksLikePage(head)) return { problem: messageFor('failure.fileIsPage') };
    if (looksLikeSvg(head)) return { format: 'svg', verified: false };
    // A tag with nothing after it is the beginning of a sound.
    const sniffed = (await sniff(head)) ?? (ascii(head, 0, 3) === 'ID3' ? 'mp3' : undefined);
    const format = sniffed === undefined ? null : formatNamed(sniffed);
    if (format !== null) return await check(format, source);
    // Too long to read, or damaged after its beginning.
    if (isText(head) && claims.medium === 'words') return { format: 'md', verified: false };
    if (isText(head))
      return { problem: messageFor('failure.fileIsText', { format: looksLikeJson(head) ? 'json' : 'text' }) };
    if (source.size < LEAST_BYTES) return { problem: messageFor('failure.fileTooShort', { bytes: source.size }) };
    // A file that we recognize as something else is not media just because a server says so.
    return sniffed === undefined ? takeWord(claims) : { format: 'bin', verified: false };
  } catch (error) {
    if (error instanceof ContainerProblem) return { problem: error.text };
    throw error;
  }
}

async function sniff(head: Buffer): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.ext;
  } catch {
    // A head that breaks the sniffer is none of ours.
    return undefined;
  }
}

async function check(format: OutputFormat, source: ByteSource): Promise<Inspection> {
  if (format === 'mp4' || format === 'm4a') {
    const tracks = await checkIsoMedia(source);
    return { format: tracks.has('vide') ? 'mp4' : 'm4a', verified: true };
  }
  await checks[format]?.(source);
  return { format, verified: isChecked(format) };
}

function takeWord({ contentType, url }: Claims): Inspection {
  const typed = formatTyped(contentType ?? '');
  if (typed && isChecked(typed))
    return { problem: messageFor('failure.fileNotFormat', { format: typed.toUpperCase() }) };
  const path = url === undefined ? '' : (URL.parse(url)?.pathname ?? '');
  const named = formatNamed(extname(path).slice(1));
  const isWords = named !== null && formats[named].medium === 'words';
  return { format: typed ?? (isWords ? null : named) ?? 'bin', verified: false };
}

const PAGE_BYTES = 512;

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

/** The most that is read; no answer of a model is longer. */
const MAX_BYTES = 16 * 1000 * 1000;

/** The format of a text file: a JSON object or list, or any other text in UTF-8. Null if it is not text. */
async function wordsFormat(source: ByteSource): Promise<'json' | 'md' | null> {
  if (source.size > MAX_BYTES) return null;
  const bytes = await source.all();
  if (!isUtf8(bytes)) return null;
  const json = parseJson(bytes.toString('utf8'));
  return typeof json === 'object' && json !== null ? 'json' : 'md';
}

const UNKNOWN_FROM = 0x7fff0000;

/** Whether a size is one that a writer to a pipe leaves: zero, or more than any file of its kind has. */
const isUnknown = (size: number, room: number): boolean => size === 0 || (size >= UNKNOWN_FROM && size > room);

interface Chunk {
  readonly id: string;
  readonly start: number;
  readonly length: number;
}

/** The chunks of a RIFF file. `end` is where the file must reach at least, by its own header. */
async function* chunks(source: ByteSource, end: number): AsyncGenerator<Chunk> {
  for (let position = 12; position < end;) {
    source.step();
    const head = await source.bytes(position, 8);
    const chunk = { id: ascii(head, 0, 4), start: position + 8, length: head.readUInt32LE(4) };
    yield chunk;
    // Chunks start at even places; the last one may lack its padding when the header does not count it.
    position = chunk.start + chunk.length + (chunk.length % 2);
  }
}

/**
 * WAV: the size of the header and of every chunk inside the file, a format and samples. A WAV written to a pipe has
 * placeholders for its sizes (0, 0x7FFFFFFF or 0xFFFFFFFF); it is taken when whole samples follow to its end, and only
 * the length check of the download can see that it was cut.
 */
async function checkWav(source: ByteSource): Promise<void> {
  const declared = (await source.bytes(4, 4)).readUInt32LE(0);
  const streamed = isUnknown(declared, source.size - 8);
  const end = streamed ? source.size : 8 + declared;
  source.requireUpTo(end);
  let frameBytes = 0;
  for await (const chunk of chunks(source, end)) {
    const room = source.size - chunk.start;
    const toEnd = streamed && chunk.id === 'data' && isUnknown(chunk.length, room);
    const length = toEnd ? room : chunk.length;
    if (chunk.start + length > end) throw cutOff();
    if (chunk.id === 'fmt ') frameBytes = (await source.bytes(chunk.start + 12, 2)).readUInt16LE(0);
    if (chunk.id !== 'data') continue;
    if (frameBytes === 0) throw new ContainerProblem(messageFor('failure.fileDamaged', { where: 'WAV fmt' }));
    if (length === 0) throw new ContainerProblem(messageFor('failure.fileNoSound'));
    if (streamed && length % frameBytes !== 0) throw cutOff();
    return;
  }
  throw new ContainerProblem(messageFor('failure.fileNoSound'));
}

/** WebP: the size of the header and of every chunk inside the file, and a picture. */
async function checkWebp(source: ByteSource): Promise<void> {
  const end = 8 + (await source.bytes(4, 4)).readUInt32LE(0);
  source.requireUpTo(end);
  let pictures = 0;
  for await (const chunk of chunks(source, end)) {
    if (chunk.start + chunk.length > end) throw cutOff();
    if (chunk.id === 'VP8 ' || chunk.id === 'VP8L' || chunk.id === 'ANMF') pictures += 1;
  }
  if (pictures === 0) throw new ContainerProblem(messageFor('failure.fileNoPicture'));
}
