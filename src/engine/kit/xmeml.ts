import { isSameRate, nominal, timecode as toTimecode, type Rate } from '../../contract/rate.ts';
import { noteStart, type Kit, type KitFile, type KitItem, type KitPlace, type KitTrack } from './kit.ts';
import { fileUrl } from './urls.ts';
import { fields, xml, xmlDocument, type Xml } from './xml.ts';

/*
 * The XML of Final Cut 7, version 4, which Premiere, Resolve and others read. `start` and `end` are frames of the cut,
 * `in` and `out` of the file. Each file is described where it is first used. Premiere shows nothing without a whole
 * `format` in `video`.
 */

const rateOf = (rate: Rate): Xml =>
  xml('rate', {}, fields({ timebase: nominal(rate), ntsc: rate.den === 1001 ? 'TRUE' : 'FALSE' }));

const timecodeOf = (frame: number, rate: Rate, drop: boolean): Xml =>
  xml(
    'timecode',
    {},
    rateOf(rate),
    fields({ string: toTimecode(frame, rate, { drop }), frame, displayformat: drop ? 'DF' : 'NDF' }),
  );

const pictureOf = (rate: Rate, { width, height }: { readonly width: number; readonly height: number }): Xml =>
  xml(
    'samplecharacteristics',
    {},
    rateOf(rate),
    fields({ width, height, anamorphic: 'FALSE', pixelaspectratio: 'square', fielddominance: 'none' }),
  );

export function xmeml({ timeline, tracks }: Kit, place: KitPlace): string {
  const { name, rate, length } = timeline;
  const described = new Set<KitFile>();
  const links = linked(tracks);
  const write = (part: KitTrack['part']): Xml[] =>
    tracks
      .filter((track) => track.part === part)
      .map(({ items }) =>
        xml(
          'track',
          {},
          items.map((item) => toClip(item, part, rate, links, (file) => toFile(file, described, place))),
          fields({ enabled: 'TRUE', locked: 'FALSE' }),
        ),
      );
  const video = xml('video', {}, xml('format', {}, pictureOf(rate, timeline)), write('pictures'));
  const sound = xml('format', {}, xml('samplecharacteristics', {}, fields({ depth: 16, samplerate: 48_000 })));
  const audio = xml('audio', {}, fields({ numOutputChannels: 2 }), sound, write('sounds'));
  const sequence = xml(
    'sequence',
    { id: 'sequence-1' },
    fields({ name, duration: length }),
    rateOf(rate),
    timecodeOf(0, rate, false),
    xml('media', {}, video, audio),
  );
  return xmlDocument('xmeml', xml('xmeml', { version: '4' }, sequence));
}

const MEDIA = { pictures: 'video', sounds: 'audio' } as const;

interface Linked {
  readonly id: string;
  readonly mediatype: 'video' | 'audio';
  readonly trackindex: number;
  readonly clipindex: number;
}
type Links = ReadonlyMap<string, readonly Linked[]>;

/** Picture and sound of one film, which move together. */
const pairOf = ({ clip, file, enabled }: KitItem): string => `${clip?.id ?? ''} ${file.number} ${enabled}`;

function linked(tracks: readonly KitTrack[]): Links {
  const links = new Map<string, Linked[]>();
  for (const part of ['pictures', 'sounds'] as const) {
    for (const [track, { items }] of tracks.filter((each) => each.part === part).entries()) {
      for (const [index, item] of items.entries()) {
        const id = `${MEDIA[part]}-${track + 1}-${index + 1}`;
        const all = links.get(pairOf(item)) ?? [];
        links.set(pairOf(item), [...all, { id, mediatype: MEDIA[part], trackindex: track + 1, clipindex: index + 1 }]);
      }
    }
  }
  return links;
}

function toClip(
  item: KitItem,
  part: KitTrack['part'],
  rate: Rate,
  links: Links,
  toFileOf: (file: KitFile) => Xml,
): Xml {
  const { file, start, length, in: from, enabled, notes, note } = item;
  const all = links.get(pairOf(item)) ?? [];
  const own = all.find(({ mediatype }) => mediatype === MEDIA[part]);
  // As many frames as the cut shows: a reader takes anything else for a change of speed.
  const out = from + (isSameRate(file.rate, rate) ? length : item.out - from);
  const marks = notes
    .filter((each) => noteStart(item, each, rate) !== null)
    .map(({ from: at, to, text }) =>
      xml('marker', {}, fields({ name: text.slice(0, 80), comment: text, in: at, out: to ?? -1 })),
    );
  return xml(
    'clipitem',
    { id: own?.id },
    fields({
      masterclipid: `master-${file.number}`,
      name: file.name,
      enabled: enabled ? 'TRUE' : 'FALSE',
      duration: Math.max(file.frames, out),
    }),
    rateOf(file.rate),
    fields({ start, end: start + length, in: from, out }),
    toFileOf(file),
    part === 'sounds' && item.gain !== 0 ? toLevel(item.gain) : undefined,
    part === 'sounds' ? xml('sourcetrack', {}, fields({ mediatype: 'audio', trackindex: 1 })) : undefined,
    note === '' ? undefined : xml('comments', {}, fields({ mastercomment1: note })),
    part === 'pictures' || file.type === 'sound' ? marks : [],
    all.length > 1
      ? all.map(({ id, mediatype, trackindex, clipindex }) =>
          xml('link', {}, fields({ linkclipref: id, mediatype, trackindex, clipindex })),
        )
      : [],
  );
}

function toFile(file: KitFile, described: Set<KitFile>, place: KitPlace): Xml {
  const { name, number, rate, frames, timecode, channels, sampleRate, type } = file;
  const id = `file-${number}`;
  if (described.has(file)) return xml('file', { id });
  described.add(file);
  return xml(
    'file',
    { id },
    fields({ name, pathurl: fileUrl(file, place, { localhost: true }) }),
    rateOf(rate),
    type === 'still' ? undefined : fields({ duration: frames }),
    timecodeOf(timecode.frame, rate, timecode.drop),
    xml(
      'media',
      {},
      type === 'sound'
        ? undefined
        : xml('video', {}, type === 'still' ? undefined : fields({ duration: frames }), pictureOf(rate, file)),
      channels > 0
        ? xml(
            'audio',
            {},
            xml('samplecharacteristics', {}, fields({ depth: 16, samplerate: sampleRate })),
            fields({ channelcount: channels }),
          )
        : undefined,
    ),
  );
}

/** A level as a factor: 1 leaves the sound as it is. */
function toLevel(gain: number): Xml {
  const named = {
    name: 'Audio Levels',
    effectid: 'audiolevels',
    effectcategory: 'audiolevels',
    effecttype: 'audiolevels',
  };
  const value = (10 ** (gain / 20)).toFixed(5);
  const level = { parameterid: 'level', name: 'Level', valuemin: 0, valuemax: '3.98109', value };
  return xml(
    'filter',
    {},
    xml('effect', {}, fields({ ...named, mediatype: 'audio' }), xml('parameter', {}, fields(level))),
  );
}
