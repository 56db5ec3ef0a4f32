import { isSameRate, perSecond, type Rate } from '../../contract/rate.ts';
import { noteStart, type Kit, type KitFile, type KitItem, type KitTrack } from './kit.ts';
import { relativeUrl } from './urls.ts';

/*
 * OpenTimelineIO: the schemas that Resolve, Premiere and Kdenlive read. Names of files are relative to the kit; a clip is
 * counted from the timecode of its file.
 */

const time = (value: number, rate: Rate) => ({ OTIO_SCHEMA: 'RationalTime.1', rate: perSecond(rate), value });
const range = (start: object, duration: object) => ({
  OTIO_SCHEMA: 'TimeRange.1',
  start_time: start,
  duration,
});

export const otio = (kit: Kit): string => `${JSON.stringify(toTimeline(kit), null, 2)}\n`;

function toTimeline({ timeline, tracks }: Kit) {
  const { name, rate } = timeline;
  let [video, audio] = [0, 0];
  return {
    OTIO_SCHEMA: 'Timeline.1',
    metadata: {},
    name,
    global_start_time: time(0, rate),
    tracks: {
      OTIO_SCHEMA: 'Stack.1',
      ...common('tracks'),
      source_range: null,
      markers: (tracks[0]?.items ?? []).flatMap((item) => takeNote(item, rate)),
      children: tracks.map((track) =>
        toTrack(track, track.part === 'pictures' ? `V${(video += 1)}` : `A${(audio += 1)}`, rate),
      ),
    },
  };
}

const common = (name: string) => ({ metadata: {}, name, effects: [], markers: [] as object[], enabled: true });

function toTrack({ part, items }: KitTrack, name: string, rate: Rate) {
  const children: object[] = [];
  let end = 0;
  for (const item of items) {
    if (item.start > end) children.push(toGap(item.start - end, rate));
    children.push(toClip(item, rate));
    end = item.start + item.length;
  }
  return {
    OTIO_SCHEMA: 'Track.1',
    ...common(name),
    source_range: null,
    kind: part === 'pictures' ? 'Video' : 'Audio',
    children,
  };
}

const toGap = (length: number, rate: Rate) => ({
  OTIO_SCHEMA: 'Gap.1',
  ...common(''),
  source_range: range(time(0, rate), time(length, rate)),
});

function toClip(item: KitItem, rate: Rate) {
  const { file, in: from, length, enabled, notes, clip, gain } = item;
  // Where rates differ, each part is exact in its own.
  const source = range(time(file.timecode.frame + from, file.rate), time(length, rate));
  return {
    OTIO_SCHEMA: 'Clip.2',
    ...common(file.name),
    metadata: { dailies: { shot: clip?.shot.key, batch: clip?.shot.batch, ...(gain !== 0 && { gain }) } },
    enabled,
    source_range: source,
    markers: notes
      .filter((note) => noteStart(item, note, rate) !== null)
      .map(({ from: at, to = at + 1, text, by }) =>
        toMarker(
          text,
          range(time(file.timecode.frame + at, file.rate), time(Math.max(1, to - at), file.rate)),
          'YELLOW',
          by,
        ),
      ),
    media_references: { DEFAULT_MEDIA: toReference(file, item, rate) },
    active_media_reference_key: 'DEFAULT_MEDIA',
  };
}

function toReference(file: KitFile, { length }: KitItem, rate: Rate) {
  const frames = file.type === 'still' ? length : Math.max(file.frames, isSameRate(file.rate, rate) ? length : 1);
  return {
    OTIO_SCHEMA: 'ExternalReference.1',
    metadata: {},
    name: file.name,
    available_range: range(time(file.timecode.frame, file.rate), time(frames, file.rate)),
    available_image_bounds: null,
    target_url: relativeUrl(file),
  };
}

const takeNote = ({ note, start, length, file }: KitItem, rate: Rate): object[] =>
  note === '' ? [] : [toMarker(note, range(time(start, rate), time(length, rate)), 'CYAN', file.name)];

const toMarker = (text: string, marked: object, color: string, name = '') => ({
  OTIO_SCHEMA: 'Marker.2',
  metadata: {},
  name: name || text.slice(0, 80),
  comment: text,
  color,
  marked_range: marked,
});
