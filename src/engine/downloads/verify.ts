import { fileTypeFromBuffer } from 'file-type';
import type { OutputFormat } from '../../contract/kinds/kind.ts';
import { checkFlac, checkOgg } from './containers/flac-ogg.ts';
import { checkIsoMedia } from './containers/iso-media.ts';
import { checkMp3 } from './containers/mp3.ts';
import { checkGif, checkJpeg, checkPng } from './containers/pictures.ts';
import { checkWav, checkWebp } from './containers/riff.ts';
import { ascii, ByteSource, ContainerProblem } from './containers/source.ts';
import { checkWebm } from './containers/webm.ts';
import { looksLikePage } from './response.ts';

/** What a file is, or, in a sentence, why it is not a whole file of media. */
export type Inspection = { readonly format: OutputFormat } | { readonly problem: string };

/** Enough for every signature that is looked for. */
const HEAD_BYTES = 4100;

/** Extensions under which a sniffer knows our formats. QuickTime is the same structure and plays as MP4. */
const FORMATS: Readonly<Record<string, OutputFormat>> = {
  mp4: 'mp4',
  m4v: 'mp4',
  mov: 'mp4',
  f4v: 'mp4',
  '3gp': 'mp4',
  '3g2': 'mp4',
  m4a: 'm4a',
  m4b: 'm4a',
  f4a: 'm4a',
  webm: 'webm',
  png: 'png',
  apng: 'png',
  jpg: 'jpg',
  webp: 'webp',
  gif: 'gif',
  wav: 'wav',
  mp3: 'mp3',
  flac: 'flac',
  ogg: 'ogg',
  oga: 'ogg',
  ogv: 'ogg',
  opus: 'ogg',
};

/**
 * Recognises a file by its content and checks by its structure that it is whole: it is read, never decoded, with
 * bounded memory, and nothing in it is trusted. Throws only what reading the disk throws.
 */
export async function inspectFile(path: string): Promise<Inspection> {
  await using source = await ByteSource.open(path);
  try {
    if (source.size === 0) return { problem: 'The file is empty.' };
    const head = Buffer.from(await source.bytesUpTo(0, HEAD_BYTES));
    const sniffed = await sniff(head);
    const format = sniffed === undefined ? undefined : FORMATS[sniffed];
    if (format === undefined) return { problem: describeOther(head, sniffed) };
    return { format: await check(format, source) };
  } catch (error) {
    if (error instanceof ContainerProblem) return { problem: `The file ${error.message}` };
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

async function check(format: OutputFormat, source: ByteSource): Promise<OutputFormat> {
  switch (format) {
    case 'mp4':
    case 'm4a':
      return (await checkIsoMedia(source)).has('vide') ? 'mp4' : 'm4a';
    case 'webm':
      await checkWebm(source);
      break;
    case 'png':
      await checkPng(source);
      break;
    case 'jpg':
      await checkJpeg(source);
      break;
    case 'gif':
      await checkGif(source);
      break;
    case 'webp':
      await checkWebp(source);
      break;
    case 'wav':
      await checkWav(source);
      break;
    case 'mp3':
      await checkMp3(source);
      break;
    case 'flac':
      await checkFlac(source);
      break;
    case 'ogg':
      await checkOgg(source);
  }
  return format;
}

function describeOther(head: Buffer, sniffed: string | undefined): string {
  if (looksLikePage(head)) return 'The file is a web page, not media.';
  if (/^\s*(?:\xef\xbb\xbf)?\s*[{[]\s*(?:["{[\]}\d-]|$)/.test(ascii(head))) return 'The file is JSON text, not media.';
  if (sniffed !== undefined) return `The file is of the type ${sniffed}, which no generation returns.`;
  if (!head.includes(0) && Buffer.from(head.toString('utf8')).length === head.length)
    return 'The file is plain text, not media.';
  return 'The file is not media of any kind that is known here, or its start is missing.';
}
