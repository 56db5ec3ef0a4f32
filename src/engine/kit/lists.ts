import { perSecond, timecode, type Rate } from '../../contract/rate.ts';
import { reportLines } from '../batches/csv-text.ts';
import type { Kit, KitFile, KitItem } from './kit.ts';

/** Lists of the files of a kit: for Avid's bins, and for spreadsheets. */

/** As programs write rates: `23.976`. */
export const rateName = (rate: Rate): string => String(Math.round(perSecond(rate) * 1000) / 1000);

const cell = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const isPlayed = ({ type }: KitFile): boolean => type !== 'still';

/** An Avid Log Exchange: a line for each film and sound, from its timecode on. */
export function ale({ files, timeline, tracks }: Kit): string {
  const items = new Map(tracks.flatMap(({ items: all }) => all.map((item) => [item.file, item] as const)));
  const columns = ['Name', 'Tracks', 'Start', 'End', 'Duration', 'FPS', 'Source File', 'Shot', 'Take', 'Comments'];
  const rows = files.filter(isPlayed).map((file) => {
    const { name, rate, frames, timecode: start, channels, type } = file;
    const of = `${type === 'film' ? 'V' : ''}${'A1A2'.slice(0, 2 * Math.min(2, channels))}`;
    const at = (frame: number): string => timecode(frame, rate, { drop: start.drop });
    const { clip = null, note = '' } = items.get(file) ?? {};
    return [
      ...[name.replace(/\.\w+$/, ''), of, at(start.frame), at(start.frame + frames), timecode(frames, rate)],
      ...[rateName(rate), name, clip?.shot.key ?? '', 'take' in file.source ? String(file.source.take) : '', note],
    ].map(cell);
  });
  return [
    ...['Heading', 'FIELD_DELIM\tTABS', `VIDEO_FORMAT\t${timeline.height}`, 'AUDIO_FORMAT\t48khz'],
    ...[`FPS\t${rateName(timeline.rate)}`, '', 'Column', columns.join('\t'), '', 'Data'],
    ...rows.map((row) => row.join('\t')),
    '',
  ].join('\r\n');
}

const SELECTS: Readonly<Record<string, (item: KitItem, rate: Rate) => string | number>> = {
  file: ({ file }) => file.name,
  batch: ({ clip }) => clip?.shot.batch ?? '',
  shot: ({ clip }) => clip?.shot.key ?? '',
  take: ({ file }) => ('take' in file.source ? file.source.take : ''),
  use: ({ clip, enabled, file }) =>
    'slate' in file.source ? 'slate' : enabled ? (clip ? 'pick' : 'music') : 'alternate',
  start: ({ start }, rate) => timecode(start, rate),
  end: ({ start, length }, rate) => timecode(start + length, rate),
  in: ({ in: from }) => from,
  out: ({ out }) => out,
  rate: ({ file }) => rateName(file.rate),
  variable: ({ file }) => ('facts' in file.source && file.source.facts.isVariable ? 'yes' : ''),
  timecode: ({ file }) => timecode(file.timecode.frame, file.rate, { drop: file.timecode.drop }),
  rating: ({ file }) => ('verdict' in file.source && file.source.verdict.rating > 0 ? file.source.verdict.rating : ''),
  flag: ({ file }) => ('verdict' in file.source ? (file.source.verdict.flag ?? '') : ''),
  note: ({ note }) => note,
  notes: ({ notes }) =>
    notes.map(({ from, to, text }) => `${from}${to === undefined ? '' : `-${to}`}f ${text}`).join('\n'),
  text: ({ clip }) => clip?.shot.text ?? '',
  sha256: ({ file }) => ('sha256' in file.source ? file.source.sha256 : ''),
};

/** A line for each clip, its alternates and the music, in the order of the cut. */
export function selects({ tracks, timeline }: Kit): string {
  const seen = new Set<string>();
  const items = tracks
    .flatMap(({ items: all }) => all)
    .filter(({ clip, file, enabled, start }) => {
      const id = `${clip?.id ?? ''} ${file.number} ${enabled} ${start}`;
      return !seen.has(id) && seen.add(id);
    })
    .toSorted((one, other) => one.start - other.start || Number(other.enabled) - Number(one.enabled));
  const lines = items.map((item) => Object.values(SELECTS).map((read) => read(item, timeline.rate)));
  return `\uFEFF${reportLines([Object.keys(SELECTS), ...lines])}`;
}
