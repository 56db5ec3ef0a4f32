import { isSameRate, nominal, perSecond, reduced, type Rate } from '../../contract/rate.ts';
import { noteStart, type Kit, type KitFile, type KitItem, type KitPlace } from './kit.ts';
import { fileUrl } from './urls.ts';
import { xml, xmlDocument, type Xml } from './xml.ts';

/*
 * FCPXML 1.10, the newest that Resolve of the last years reads. Times are fractions of a second, on a frame of the cut in
 * `offset` and `duration`. Alternates are auditions with the pick first: the only thing that any program shows as one.
 */

/** Frames as a time. */
function time(frames: number, { num, den }: Rate): string {
  const { num: top, den: below } = reduced(frames * den, num);
  return below === 1 ? `${top}s` : `${top}/${below}s`;
}

export function fcpxml(kit: Kit, place: KitPlace): string {
  const { name, rate, length, width, height } = kit.timeline;
  const formats = new Formats();
  const own = formats.of({ rate, width, height });
  const assets = kit.files.map((file) => toAsset(file, formats, place));
  const sequence = xml(
    'sequence',
    {
      format: own,
      duration: time(length, rate),
      tcStart: '0s',
      tcFormat: 'NDF',
      audioLayout: 'stereo',
      audioRate: '48k',
    },
    xml('spine', {}, toSpine(kit)),
  );
  return xmlDocument(
    'fcpxml',
    xml(
      'fcpxml',
      { version: '1.10' },
      xml('resources', {}, formats.all(), assets),
      xml('library', {}, xml('event', { name }, xml('project', { name }, sequence))),
    ),
  );
}

const idOf = ({ number }: KitFile): string => `a${number}`;

interface Shape {
  /** Null for a still, which has none. */
  readonly rate: Rate | null;
  readonly width: number;
  readonly height: number;
}

class Formats {
  readonly #known: Shape[] = [];

  of(shape: Shape): string {
    const isSame = ({ rate, width, height }: Shape): boolean =>
      (rate && shape.rate ? isSameRate(rate, shape.rate) : rate === shape.rate) &&
      width === shape.width &&
      height === shape.height;
    const at = this.#known.findIndex(isSame);
    return `r${at < 0 ? this.#known.push(shape) : at + 1}`;
  }

  all(): Xml[] {
    return this.#known.map(({ rate, width, height }, index) =>
      xml('format', {
        id: `r${index + 1}`,
        name: rate ? undefined : 'FFVideoFormatRateUndefined',
        frameDuration: rate ? time(1, rate) : undefined,
        ...{ width, height },
      }),
    );
  }
}

function toAsset(file: KitFile, formats: Formats, place: KitPlace): Xml {
  const { name, type, rate, frames, channels, sampleRate, timecode, width, height } = file;
  const hasAudio = channels > 0;
  return xml(
    'asset',
    {
      ...{ id: idOf(file), name, start: time(timecode.frame, rate), duration: time(frames, rate) },
      ...(type !== 'sound' && {
        hasVideo: 1,
        format: formats.of({ rate: type === 'still' ? null : rate, width, height }),
        videoSources: 1,
      }),
      ...(hasAudio && { hasAudio: 1, audioSources: 1, audioChannels: channels, audioRate: sampleRate }),
    },
    xml('media-rep', { kind: 'original-media', src: fileUrl(file, place) }),
  );
}

/** What is heard without a picture is connected to what is seen then. */
function toSpine({ timeline, tracks }: Kit): Xml[] {
  const { rate, clips, length } = timeline;
  const [pictures = { items: [] }, ...others] = tracks.filter(({ part }) => part === 'pictures');
  const sounds = tracks.filter(({ part }) => part === 'sounds').flatMap(({ items }) => items);
  const heardAlone = sounds.filter(({ file, enabled }) => file.type === 'sound' && enabled);
  const seen = new Map(pictures.items.map((item) => [item.clip?.id, item]));
  const spans = clips.map((clip) => ({ start: clip.start, length: clip.length, item: seen.get(clip.id) ?? null }));
  const end = clips.reduce((last, clip) => Math.max(last, clip.start + clip.length), 0);
  if (length > end) spans.push({ start: end, length: length - end, item: null });
  return spans.map(({ start, length: span, item }) => {
    const below = heardAlone.filter((each) => each.start >= start && each.start < start + span);
    if (!item) {
      const gap = { offset: time(start, rate), name: 'Gap', start: '0s', duration: time(span, rate) };
      return xml(
        'gap',
        gap,
        below.map((each) => connected(each, time(each.start - start, rate), rate)),
      );
    }
    const pick = toClip(item, rate, { below });
    const alternates = others.flatMap(({ items }) => items.filter(({ clip }) => clip === item.clip));
    if (alternates.length === 0) return pick;
    return xml(
      'audition',
      {},
      pick,
      alternates.map((each) => toClip(each, rate)),
    );
  });
}

/** A sound of the cut is placed in the time of its picture: that of its file. */
function connected(item: KitItem, offset: string, rate: Rate): Xml {
  const { file, in: from, length } = item;
  return xml(
    'asset-clip',
    {
      ...{ ref: idOf(file), lane: -1, offset, name: file.name, start: time(from, file.rate) },
      ...{ duration: time(length, rate), audioRole: item.clip ? 'dialogue' : 'music' },
    },
    item.gain === 0 ? undefined : xml('adjust-volume', { amount: `${item.gain}dB` }),
  );
}

function toClip(item: KitItem, rate: Rate, { below = [] as readonly KitItem[] } = {}): Xml {
  const { file, start, in: from, length, notes, note, clip } = item;
  const begin = file.timecode.frame + from;
  const at = { ref: idOf(file), offset: time(start, rate), name: file.name };
  const inFile = (frames: number): string => sum(time(begin, file.rate), time(frames - start, rate));
  const text = note === '' ? undefined : xml('note', {}, note);
  const anchored = below.map((each) => connected(each, inFile(each.start), rate));
  const marks = notes
    .filter((each) => noteStart(item, each, rate) !== null)
    .map(({ from: frame, to = frame + 1, text: value }) =>
      xml('marker', {
        start: time(file.timecode.frame + frame, file.rate),
        duration: time(Math.max(1, to - frame), file.rate),
        value: value || clip?.shot.key,
      }),
    );
  if (file.type === 'still') {
    return xml('video', { ...at, start: '0s', duration: time(length, rate) }, text, anchored, marks);
  }
  const { drop } = file.timecode;
  return xml(
    'asset-clip',
    { ...at, start: time(begin, file.rate), duration: time(length, rate), tcFormat: drop ? 'DF' : 'NDF' },
    text,
    isSameRate(file.rate, rate) ? undefined : toConform(file.rate),
    anchored,
    marks,
  );
}

const CONFORMED = [
  '23.98',
  '24',
  '25',
  '29.97',
  '30',
  '60',
  '47.95',
  '48',
  '50',
  '59.94',
  '90',
  '100',
  '119.88',
  '120',
];

/** Another rate plays in its own time: it is not stretched to that of the cut. */
function toConform(rate: Rate): Xml {
  const name = rate.den === 1001 ? (Math.floor(perSecond(rate) * 100 + 0.5) / 100).toFixed(2) : String(nominal(rate));
  return xml('conform-rate', { scaleEnabled: 0, srcFrameRate: CONFORMED.includes(name) ? name : undefined });
}

function sum(one: string, other: string): string {
  const [first, second] = [one, other].map((text) => {
    const [top = '0', below = '1'] = text.slice(0, -1).split('/');
    return { num: Number(top), den: Number(below) };
  }) as [Rate, Rate];
  return time(first.num * second.den + second.num * first.den, { num: first.den * second.den, den: 1 });
}
