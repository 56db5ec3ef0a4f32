import { convertFrames, timecode, type Rate } from '../../contract/rate.ts';
import { noteStart, type Kit, type KitItem } from './kit.ts';

/*
 * CMX 3600: one track of pictures, and sounds that are alone. It has one rate, so a file of another one is counted in
 * that of the cut, as long as it is shown: two lengths would be a change of speed.
 */

/** In one line, without what a reader takes for the next field. */
const line = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029|]+/gu, ' ').trim();

const HEAD = (name: string): string[] => [`TITLE: ${line(name).slice(0, 70)}`, 'FCM: NON-DROP FRAME', ''];

/** `AX`, as of a file, and six ASCII characters: more than eight break older readers. */
const reel = ({ file }: KitItem): string => `AX${String(file.number).padStart(6, '0')}`;

export function edl({ timeline, tracks }: Kit): string {
  const { name, rate } = timeline;
  const [pictures] = tracks.filter(({ part }) => part === 'pictures');
  const alone = tracks
    .filter(({ part }) => part === 'sounds')
    .flatMap(({ items }) => items.filter(({ file, enabled }) => file.type === 'sound' && enabled));
  const items = [...(pictures?.items ?? []), ...alone].toSorted((one, other) => one.start - other.start);
  const digits = Math.max(3, String(items.length).length);
  const events = items.flatMap((item, index) => {
    const { file, start, length, in: from } = item;
    const begin = convertFrames(file.timecode.frame + from, file.rate, rate);
    const of = file.type === 'sound' ? 'A' : file.channels > 0 ? 'B' : 'V';
    const times = [begin, begin + length, start, start + length].map((frame) => timecode(frame, rate));
    // Only the last comment may name the file: Premiere stops at one that follows.
    return [
      `${String(index + 1).padStart(digits, '0')}  ${reel(item)} ${of.padEnd(5)} C        ${times.join(' ')}`,
      ...(item.note === '' ? [] : [`* COMMENT: ${line(item.note)}`]),
      `* FROM CLIP NAME: ${line(file.name)}`,
    ];
  });
  return [...HEAD(name), ...events, ''].join('\r\n');
}

/** Notes as the markers of a timeline, as Resolve reads them. */
export function markerEdl({ timeline, tracks }: Kit): string {
  const { name, rate } = timeline;
  const items = tracks[0]?.items ?? [];
  const marks = items.flatMap((item) => [...noteOfTake(item), ...notesAtFrames(item, rate)]);
  const digits = Math.max(3, String(marks.length).length);
  const events = marks.flatMap(({ start, length, text, color, title }, index) => {
    const number = String(index + 1).padStart(digits, '0');
    const times = [start, start + 1, start, start + 1].map((frame) => timecode(frame, rate));
    return [
      `${number}  001      V     C        ${times.join(' ')}`,
      ` |C:ResolveColor${color} |M:${line(title)}: ${line(text)} |D:${length}`,
      '',
    ];
  });
  return [...HEAD(`${name} markers`), ...events].join('\r\n');
}

interface Mark {
  readonly start: number;
  readonly length: number;
  readonly text: string;
  readonly color: 'Cyan' | 'Yellow';
  readonly title: string;
}

const titleOf = ({ clip, file }: KitItem): string => clip?.shot.key ?? file.name;

const noteOfTake = (item: KitItem): Mark[] =>
  item.note === ''
    ? []
    : [{ start: item.start, length: item.length, text: item.note, color: 'Cyan', title: titleOf(item) }];

function notesAtFrames(item: KitItem, rate: Rate): Mark[] {
  return item.notes.flatMap((note) => {
    const start = noteStart(item, note, rate);
    if (start === null) return [];
    const length = Math.max(1, convertFrames((note.to ?? note.from + 1) - note.from, item.file.rate, rate));
    return [{ start, length, text: note.text, color: 'Yellow' as const, title: titleOf(item) }];
  });
}
