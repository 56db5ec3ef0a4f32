import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import jschardet from 'jschardet';

const SAMPLE_BYTES = 16 * 1024;

const byteOrderMarks: readonly { readonly bytes: readonly number[]; readonly encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
];

/**
 * Encoding of a text: by its byte-order mark, as strict UTF-8, and last by a detector. Only the detector guesses, so the
 * user sees its answer and can choose another.
 */
export function detectEncoding(bytes: Uint8Array): string {
  const marked = byteOrderMarks.find((mark) => mark.bytes.every((byte, place) => bytes[place] === byte));
  if (marked !== undefined) return marked.encoding;
  return isUtf8(bytes) ? 'utf-8' : guessedEncoding(bytes);
}

/** East Asian encodings, whose characters take two bytes; the detector knows them by their byte pairs. */
const twoByteEncodings = ['gb18030', 'gb2312', 'gbk', 'big5', 'cp932', 'shift_jis', 'euc-jp', 'euc-kr', 'cp949'];

/** Names people know them by. */
const usualNames: ReadonlyMap<string, string> = new Map([
  ['gb2312', 'gbk'],
  ['gb18030', 'gbk'],
  ['cp932', 'shift_jis'],
]);

/** Encoding of most old spreadsheets, and one in which every byte is a character. */
const FALLBACK = 'windows-1252';

/** Below this the detector's word for a one-byte encoding is worth less than the fallback. */
const CONFIDENT = 0.5;

function guessedEncoding(bytes: Uint8Array): string {
  const sample = tellingSample(bytes);
  const guess = jschardet.detect(Buffer.from(sample));
  const name = guess.encoding?.toLowerCase() ?? FALLBACK;
  // In short lists the detector is right about byte pairs, but not sure; Western text has its accents one by one.
  if (twoByteEncodings.includes(name)) return comesInPairs(sample) ? (usualNames.get(name) ?? name) : FALLBACK;
  return guess.confidence > CONFIDENT && iconv.encodingExists(name) ? name : FALLBACK;
}

function comesInPairs(sample: Uint8Array): boolean {
  const foreign = (place: number) => (sample[place] ?? 0) >= 0x80;
  let all = 0;
  let paired = 0;
  for (let place = 0; place < sample.length; place += 1) {
    if (!foreign(place)) continue;
    all += 1;
    if (foreign(place - 1) || foreign(place + 1)) paired += 1;
  }
  return paired * 2 > all;
}

/** The lines that hold bytes beyond ASCII: the others say nothing, and a detector is slow. */
function tellingSample(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < bytes.length && (bytes[from] ?? 0) < 0x80) from += 1;
  from = Math.max(0, from - 256);
  return bytes.subarray(from, from + SAMPLE_BYTES);
}

export function knownEncoding(name: string): string | null {
  return iconv.encodingExists(name) ? name.toLowerCase() : null;
}

/** Decodes a text piece by piece. The mark at its start, if any, is left out. */
export function* decodeInPieces(bytes: Uint8Array, encoding: string, pieceBytes: number): Generator<string> {
  // gb18030 reads all of gbk, and the rarer characters that newer systems write under its name.
  const decoder = iconv.getDecoder(encoding === 'gbk' ? 'gb18030' : encoding, { stripBOM: true });
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    yield decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(pieceBytes, bytes.length - from)));
  }
  yield decoder.end() ?? '';
}
