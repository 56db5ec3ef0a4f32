import * as z from 'zod';

interface MediumFacts {
  /** The `type` of an output item of the service ("for example video"). */
  readonly type: string;
  /** It has a length, and is played. */
  readonly plays: boolean;
  readonly isPicture: boolean;
}

/** How people take in a file. A new medium is a line here, a kind that makes it, and a player in review. */
const mediumFacts = {
  moving: { type: 'video', plays: true, isPicture: true },
  still: { type: 'image', plays: false, isPicture: true },
  sound: { type: 'audio', plays: true, isPicture: false },
  words: { type: 'text', plays: false, isPicture: false },
} satisfies Record<string, MediumFacts>;

export const Medium = z.enum(Object.keys(mediumFacts) as (keyof typeof mediumFacts)[]);
export type Medium = z.infer<typeof Medium>;

export const media: Readonly<Record<Medium, MediumFacts>> = mediumFacts;

interface FormatFacts {
  /** Null for a file that has neither picture nor sound. */
  readonly medium: Medium | null;
  readonly contentType: string;
  /** False for what no window may open by itself, because it can run or because browsers cannot read it. */
  readonly isShown: boolean;
}

const shown = (medium: Medium, contentType: string) => ({ medium, contentType, isShown: true }) as const;
const kept = (medium: Medium | null, contentType: string) => ({ medium, contentType, isShown: false }) as const;

/** Every format a result is saved as, by the extension of its file. No system runs a file with one of these. */
const facts = {
  mp4: shown('moving', 'video/mp4'),
  webm: shown('moving', 'video/webm'),
  png: shown('still', 'image/png'),
  jpg: shown('still', 'image/jpeg'),
  webp: shown('still', 'image/webp'),
  gif: shown('still', 'image/gif'),
  wav: shown('sound', 'audio/wav'),
  mp3: shown('sound', 'audio/mpeg'),
  flac: shown('sound', 'audio/flac'),
  // Opus in Ogg (RFC 7845). Listed before Ogg, because they share a type: the content shows which it is.
  opus: shown('sound', 'audio/ogg'),
  ogg: shown('sound', 'audio/ogg'),
  m4a: shown('sound', 'audio/mp4'),
  aac: shown('sound', 'audio/aac'),
  avif: shown('still', 'image/avif'),
  bmp: shown('still', 'image/bmp'),
  heic: kept('still', 'image/heic'),
  jxl: kept('still', 'image/jxl'),
  tif: kept('still', 'image/tiff'),
  // It can hold scripts: it is never opened as a page or a picture of ours.
  svg: kept('still', 'image/svg+xml'),
  aif: kept('sound', 'audio/aiff'),
  wma: kept('sound', 'audio/x-ms-wma'),
  mkv: kept('moving', 'video/x-matroska'),
  avi: kept('moving', 'video/x-msvideo'),
  mpg: kept('moving', 'video/mpeg'),
  mts: kept('moving', 'video/mp2t'),
  wmv: kept('moving', 'video/x-ms-wmv'),
  md: shown('words', 'text/markdown'),
  json: shown('words', 'application/json'),
  zip: kept(null, 'application/zip'),
  pdf: kept(null, 'application/pdf'),
  bin: kept(null, 'application/octet-stream'),
} satisfies Record<string, FormatFacts>;

export const OutputFormat = z.enum(Object.keys(facts) as (keyof typeof facts)[]);
export type OutputFormat = z.infer<typeof OutputFormat>;

export const formats: Readonly<Record<OutputFormat, FormatFacts>> = facts;

const aliases: Readonly<Record<string, OutputFormat>> = {
  m4v: 'mp4',
  mov: 'mp4',
  f4v: 'mp4',
  '3gp': 'mp4',
  '3g2': 'mp4',
  m4b: 'm4a',
  f4a: 'm4a',
  apng: 'png',
  jpeg: 'jpg',
  wave: 'wav',
  oga: 'ogg',
  ogv: 'ogg',
  adts: 'aac',
  heif: 'heic',
  tiff: 'tif',
  aiff: 'aif',
  mpeg: 'mpg',
};

/** The format with an extension, in any of its spellings and without a dot; null for one that is none of ours. */
export function formatNamed(extension: string): OutputFormat | null {
  const name = extension.toLowerCase();
  if (Object.hasOwn(facts, name)) return name as OutputFormat;
  return Object.hasOwn(aliases, name) ? (aliases[name] ?? null) : null;
}

/** Other names servers use for a content type. */
const typeAliases: Readonly<Record<string, OutputFormat>> = {
  'image/jpg': 'jpg',
  'image/heif': 'heic',
  'video/quicktime': 'mp4',
  'audio/mp3': 'mp3',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/x-flac': 'flac',
  'audio/x-m4a': 'm4a',
  'audio/m4a': 'm4a',
  'audio/opus': 'opus',
  'audio/aacp': 'aac',
  'audio/x-aac': 'aac',
  'audio/x-aiff': 'aif',
};

const byType = new Map<string, OutputFormat>([
  // A server's "text" may be anything, its own error above all.
  ...OutputFormat.options
    .filter((format) => formats[format].medium !== 'words')
    .map((format) => [formats[format].contentType, format] as const),
  ...Object.entries(typeAliases),
]);

/** The format of a Content-Type; null for one that says nothing about the file. */
export function formatTyped(contentType: string): OutputFormat | null {
  const format = byType.get(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '') ?? null;
  return format === 'bin' ? null : format;
}
