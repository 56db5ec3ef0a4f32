import { XMLParser, XMLValidator } from 'fast-xml-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertFrames, parseTimecode, perSecond, type Rate } from '../../../src/contract/rate.ts';
import type { Timeline } from '../../../src/contract/timeline.ts';
import { edl, markerEdl } from '../../../src/engine/kit/edl.ts';
import { fcpxml } from '../../../src/engine/kit/fcpxml.ts';
import { toKit, type Kit, type KitItem, type KitTrack } from '../../../src/engine/kit/kit.ts';
import { ale, selects } from '../../../src/engine/kit/lists.ts';
import { otio } from '../../../src/engine/kit/otio.ts';
import { encodeName, fileUrl } from '../../../src/engine/kit/urls.ts';
import { xmeml } from '../../../src/engine/kit/xmeml.ts';
import { timelines } from './timelines.ts';

const PLACES = [
  { folder: "/home/Ada/It's 100% #1 & 夜", platform: 'linux' },
  { folder: '/Volumes/Reel 2/kit', platform: 'darwin' },
  { folder: "C:\\Users\\Ada's\\kit #1", platform: 'win32' },
  { folder: '\\\\server\\share\\kit', platform: 'win32' },
] as const;
const [place] = PLACES;

/** One use of a file, as a reader finds it: frames of the cut, and of the file for `in`. */
type Found = readonly [name: string, start: number, length: number, from: number, enabled: boolean];
const expected = (track: KitTrack | undefined, keep: (item: KitItem) => boolean = () => true): Found[] =>
  (track?.items ?? [])
    .filter(keep)
    .map(({ file, start, length, in: from, enabled }) => [file.name, start, length, from, enabled]);
const of = (kit: Kit, what: KitTrack['part']): KitTrack[] => kit.tracks.filter((track) => track.part === what);
const check = (read: (kit: Kit, timeline: Timeline) => void): void =>
  fc.assert(
    fc.property(timelines, fc.boolean(), (timeline, ascii) => read(toKit(timeline, { ascii }), timeline)),
    { numRuns: 60 },
  );

type Element = Readonly<Record<string, unknown>>;
const parser = new XMLParser({
  ...{ ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false, parseAttributeValue: false },
  ...{ preserveOrder: true, trimValues: false, processEntities: true, htmlEntities: true },
});
interface Node {
  readonly name: string;
  readonly at: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Node[];
}
function toNodes(elements: readonly Element[]): Node[] {
  return elements.flatMap((element) => {
    const name = Object.keys(element).find((key) => key !== ':@') ?? '';
    if (name === '#text' || name.startsWith('?')) return [];
    const inside = element[name] as readonly Element[];
    const text = inside.map((each) => String(each['#text'] ?? '')).join('');
    return { name, at: (element[':@'] ?? {}) as Node['at'], text, children: toNodes(inside) };
  });
}
function readXml(text: string): Node {
  expect(XMLValidator.validate(text)).toBe(true);
  return toNodes(parser.parse(text) as Element[])[0] as Node;
}
const all = (node: Node, name: string): Node[] =>
  node.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
const one = (node: Node, ...path: readonly string[]): Node =>
  path.reduce(
    (at, name) => at.children.find((child) => child.name === name) ?? { name, at: {}, text: '', children: [] },
    node,
  );
const number = (node: Node, ...path: readonly string[]): number => Number(one(node, ...path).text);

describe('names of a kit', () => {
  it('are safe on every system, each another one, and ASCII where that is wanted', () => {
    check(({ files }) => {
      const names = files.map(({ name }) => name);
      expect(new Set(names.map((name) => name.normalize('NFC').toLowerCase())).size).toBe(names.length);
      for (const name of names) {
        expect(name).not.toMatch(/[\\/:*?"<>|\p{Cc}]/u);
        expect(name).toBe(name.normalize('NFC'));
      }
    });
    fc.assert(
      fc.property(timelines, (timeline) => {
        for (const { name } of toKit(timeline, { ascii: true }).files) expect(name).toMatch(/^[\w.-]+$/);
      }),
      { numRuns: 30 },
    );
  });

  it('come back from an address as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (name) => {
        expect(encodeName(name)).toMatch(/^[\w.%-]*$/);
        expect(decodeURIComponent(encodeName(name))).toBe(name.toWellFormed());
      }),
    );
  });

  it('are found on each system by its own rules', () => {
    const name = "a b#1%&'é.mp4";
    const end = 'media/a%20b%231%25%26%27%C3%A9.mp4';
    const urls = (index: number) =>
      [{}, { localhost: true }].map((how) => fileUrl({ name }, PLACES[index] ?? place, how));
    expect(urls(0)).toEqual([
      `file:///home/Ada/It%27s%20100%25%20%231%20%26%20%E5%A4%9C/${end}`,
      `file://localhost/home/Ada/It%27s%20100%25%20%231%20%26%20%E5%A4%9C/${end}`,
    ]);
    expect(urls(2)).toEqual([
      `file:///C:/Users/Ada%27s/kit%20%231/${end}`,
      `file://localhost/C%3a/Users/Ada%27s/kit%20%231/${end}`,
    ]);
    expect(urls(3)).toEqual([`file://server/share/kit/${end}`, `file://server/share/kit/${end}`]);
  });
});

interface Otio {
  readonly OTIO_SCHEMA: string;
  readonly children: readonly Otio[];
  readonly kind: string;
  readonly enabled: boolean;
  readonly source_range: Record<'start_time' | 'duration', { readonly value: number; readonly rate: number }>;
  readonly media_references: { readonly DEFAULT_MEDIA: { readonly target_url: string; readonly name: string } };
}

it('OTIO reads back as the cut was laid out', () => {
  check((kit, { rate }) => {
    const { tracks } = JSON.parse(otio(kit)) as { tracks: Otio };
    const read = tracks.children.map((track) => {
      let start = 0;
      return track.children.flatMap((child): Found[] => {
        const { start_time: begin, duration } = child.source_range;
        expect(duration.rate).toBe(perSecond(rate));
        const at = start;
        start += duration.value;
        if (child.OTIO_SCHEMA === 'Gap.1') return [];
        const { target_url: url, name } = child.media_references.DEFAULT_MEDIA;
        expect(decodeURIComponent(url)).toBe(`media/${name}`);
        const file = kit.files.find((each) => each.name === name);
        expect(begin.rate).toBe(perSecond(file?.rate ?? rate));
        return [[name, at, duration.value, begin.value - (file?.timecode.frame ?? 0), child.enabled]];
      });
    });
    expect(read).toEqual(kit.tracks.map((track) => expected(track)));
  });
});

/** A time of FCPXML in frames; fails where it is between two. */
function frames(time: string | undefined, { num, den }: Rate): number {
  const [top = '', below = '1'] = (time ?? '').replace(/s$/, '').split('/');
  const exact = (Number(top) * num) / (Number(below) * den);
  expect(Math.abs(exact - Math.round(exact))).toBeLessThan(1e-6);
  return Math.round(exact);
}

it('FCPXML reads back as the cut was laid out, with the pick first in each audition', () => {
  check((kit, { rate, clips }) => {
    const root = readXml(fcpxml(kit, place));
    expect(root.at).toEqual({ version: '1.10' });
    const assets = new Map(all(root, 'asset').map((asset) => [asset.at['id'], asset]));
    const fileOf = (node: Node) => {
      const asset = assets.get(node.at['ref'] ?? '');
      const file = kit.files.find(({ name }) => name === asset?.at['name']);
      expect(one(asset ?? node, 'media-rep').at['src']).toBe(file && fileUrl(file, place));
      return file as Kit['files'][number];
    };
    const toFound = (node: Node, enabled: boolean): Found => {
      const file = fileOf(node);
      const from = frames(node.at['start'], file.rate) - file.timecode.frame;
      return [file.name, frames(node.at['offset'], rate), frames(node.at['duration'], rate), from, enabled];
    };
    const spine = all(root, 'spine')[0]?.children ?? [];
    let end = 0;
    for (const child of spine) {
      const [first = child] = child.name === 'audition' ? child.children : [child];
      expect(frames(first.at['offset'], rate)).toBe(end);
      end += frames(first.at['duration'], rate);
    }
    const shown = spine.filter(({ name }) => name !== 'gap');
    const [pictures, ...others] = of(kit, 'pictures');
    expect(
      shown.map((child) => toFound(child.name === 'audition' ? (child.children[0] as Node) : child, true)),
    ).toEqual(expected(pictures));
    const seen = new Set(pictures?.items.map(({ clip }) => clip));
    const alternates = shown.flatMap((child) =>
      child.name === 'audition' ? child.children.slice(1).map((each) => toFound(each, false)) : [],
    );
    const wanted = clips.flatMap((clip) =>
      others.flatMap((track) => expected(track, (item) => item.clip === clip && seen.has(clip))),
    );
    expect(alternates).toEqual(wanted);
    const alone = of(kit, 'sounds').flatMap(({ items }) =>
      items.filter(({ file, enabled }) => file.type === 'sound' && enabled),
    );
    expect(all(root, 'asset-clip').filter(({ at }) => at['lane'] === '-1')).toHaveLength(alone.length);
  });
});

it('the XML of Final Cut 7 reads back as the cut was laid out', () => {
  check((kit, { rate, width, height, length }) => {
    for (const each of PLACES) {
      const root = readXml(xmeml(kit, each));
      const sequence = one(root, 'sequence');
      expect([number(sequence, 'duration'), number(sequence, 'rate', 'timebase')]).toEqual([
        length,
        Math.round(perSecond(rate)),
      ]);
      const picture = one(sequence, 'media', 'video', 'format', 'samplecharacteristics');
      expect([number(picture, 'width'), number(picture, 'height')]).toEqual([width, height]);
      const described = new Map(
        all(sequence, 'file')
          .filter((file) => file.children.length > 0)
          .map((file) => [file.at['id'], file]),
      );
      for (const kind of ['video', 'audio'] as const) {
        const read = one(sequence, 'media', kind).children.filter(({ name }) => name === 'track');
        const found = read.map((track) =>
          track.children
            .filter(({ name }) => name === 'clipitem')
            .map((clip): Found => {
              const file = described.get(one(clip, 'file').at['id']) as Node;
              const name = one(file, 'name').text;
              const own = kit.files.find((known) => known.name === name);
              expect(one(file, 'pathurl').text).toBe(own && fileUrl(own, each, { localhost: true }));
              expect(number(file, 'timecode', 'frame')).toBe(own?.timecode.frame);
              const [start, end, from, out] = ['start', 'end', 'in', 'out'].map((key) => number(clip, key)) as [
                number,
                number,
                number,
                number,
              ];
              const shown = convertFrames(out - from, own?.rate ?? rate, rate);
              expect(Math.abs(shown - (end - start))).toBeLessThanOrEqual(1);
              return [name, start, end - start, from, one(clip, 'enabled').text === 'TRUE'];
            }),
        );
        expect(found).toEqual(of(kit, kind === 'video' ? 'pictures' : 'sounds').map((track) => expected(track)));
      }
    }
  });
});

it('the EDL reads back as the cut was laid out, without a change of speed', () => {
  check((kit, { rate }) => {
    const text = edl(kit);
    const lines = text.split('\r\n');
    const events = lines.flatMap((line, index) => {
      const match = /^\d+ {2}(AX\d{6}) (V|A|B) {5}C {8}(\S+) (\S+) (\S+) (\S+)$/.exec(line);
      if (!match) return [];
      const name = lines.slice(index).find((each) => each.startsWith('* FROM CLIP NAME: ')) ?? '';
      const [begin = 0, end = 0, start = 0, stop = 0] = match.slice(3).map((each) => parseTimecode(each, rate)?.frame);
      expect(end - begin).toBe(stop - start);
      return [[name.slice('* FROM CLIP NAME: '.length), start, stop - start, begin]];
    });
    const alone = of(kit, 'sounds').flatMap(({ items }) =>
      items.filter(({ file, enabled }) => file.type === 'sound' && enabled),
    );
    const wanted = [...(of(kit, 'pictures')[0]?.items ?? []), ...alone]
      .toSorted((a, b) => a.start - b.start)
      .map(({ file, start, length, in: from }) => [
        file.name,
        start,
        length,
        convertFrames(file.timecode.frame + from, file.rate, rate),
      ]);
    expect(events).toEqual(wanted);
    expect(text).not.toMatch(/FROM CLIP(?! NAME: )/);
    expect(markerEdl(kit)).toMatch(/^TITLE: /);
  });
});

it('lists have a line for each file and each use, whatever texts hold', () => {
  check((kit) => {
    const rows = ale(kit).split('Data\r\n')[1]?.split('\r\n').filter(Boolean) ?? [];
    expect(rows.map((row) => row.split('\t')[6])).toEqual(
      kit.files.filter(({ type }) => type !== 'still').map(({ name }) => name),
    );
    for (const row of rows) expect(row.split('\t')).toHaveLength(10);
    for (const { name } of kit.files) expect(selects(kit)).toContain(name);
    expect(selects(kit)).not.toMatch(/^=/m);
  });
});
