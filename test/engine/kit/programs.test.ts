import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addClips, type Cut } from '../../../src/contract/cut.ts';
import type { MediaFacts } from '../../../src/contract/media-facts.ts';
import { convertFrames, type Rate } from '../../../src/contract/rate.ts';
import { layOut, type CutFile, type Timeline } from '../../../src/contract/timeline.ts';
import { noVerdict } from '../../../src/contract/verdict.ts';
import { fcpxml } from '../../../src/engine/kit/fcpxml.ts';
import { toKit, type Kit, type KitItem } from '../../../src/engine/kit/kit.ts';
import { otio } from '../../../src/engine/kit/otio.ts';
import { xmeml } from '../../../src/engine/kit/xmeml.ts';
import { xml, type Xml } from '../../../src/engine/kit/xml.ts';
import { ffmpeg } from '../../support/films.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { KEYS, RATES } from './timelines.ts';

/*
 * A kit of real files, read by programs of others where they are installed: `apt install ffmpeg melt libxml2-utils`.
 * Without one of them, its tests are reported as not run.
 */

const has = (program: string): boolean => spawnSync(program, ['-version']).error === undefined;
const programs = { ffprobe: has('ffprobe'), melt: has('melt'), xmllint: has('xmllint') };

const FRAMES = 30;
const film = (rate: Rate, more: MediaFacts = {}): MediaFacts => ({
  width: 320,
  height: 180,
  rate,
  frames: FRAMES,
  ...more,
});

/** 40 shots: films of each rate with and without sound, stills and sounds, with names that break things. */
function cutOf(rate: Rate): { timeline: Timeline; kit: Kit } {
  const files = Array.from({ length: 40 }, (_, index): CutFile => {
    const own = RATES[index % RATES.length] ?? rate;
    const base = { output: 1, sha256: 'f'.repeat(64), bytes: 1 };
    if (index % 13 === 5) return { ...base, name: 'a.png', format: 'png', facts: { width: 320, height: 180 } };
    if (index % 13 === 9)
      return { ...base, name: 'a.wav', format: 'wav', facts: { seconds: 1, channels: 2, sampleRate: 48_000 } };
    const sound = index % 2 === 0 ? { channels: 2, sampleRate: 48_000 } : {};
    return { ...base, name: 'a.mp4', format: 'mp4', facts: film(own, sound) };
  });
  const shots = files.map((_, index) => ({
    ...{ shot: { batchId: 'b', key: KEYS[index % KEYS.length] ?? 'x' }, take: String(index), output: 1, enabled: true },
    ...{ alternates: [], ...(index % 3 === 0 && { in: 5, out: 21 }) },
  }));
  const cut: Cut = addClips({ name: 'Programs', rate, clips: [], music: [] }, shots);
  const timeline = layOut(cut, {
    take: (id) => ({ takeId: id, take: 1, verdict: noVerdict, files: [files[Number(id)] as CutFile] }),
    shot: ({ key }) => ({ batch: 'Day 1', text: key }),
    music: () => null,
  });
  return { timeline, kit: toKit(timeline) };
}

describe.runIf(ffmpeg)('@night a kit of 40 shots', () => {
  const folder = scratchFolder('dailies-kit-');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const media = join(folder, 'media');
  const place = { folder, platform: process.platform };
  const kits = RATES.map((rate) => ({ rate, ...cutOf(rate) }));

  beforeAll(() => {
    mkdirSync(media);
    const made = new Set<string>();
    for (const file of kits.flatMap(({ kit }) => kit.files)) {
      if (made.has(file.name)) continue;
      made.add(file.name);
      const { num, den } = file.rate;
      const picture = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=${num}/${den}`, '-frames:v', String(FRAMES)];
      const sound = ['-f', 'lavfi', '-i', 'sine=r=48000', '-t', String((FRAMES * den) / num), '-ac', '2'];
      const how = {
        film: [
          ...(file.channels > 0
            ? [...sound.slice(0, 4), ...picture.slice(0, 4), '-shortest', '-ac', '2']
            : picture.slice(0, 4)),
          ...[
            '-frames:v',
            String(FRAMES),
            '-c:v',
            'mpeg4',
            '-g',
            '1',
            '-pix_fmt',
            'yuv420p',
            '-video_track_timescale',
            String(num),
          ],
        ],
        still: [...picture.slice(0, 4), '-frames:v', '1'],
        sound: ['-f', 'lavfi', '-i', 'sine=r=48000:d=1', '-ac', '2'],
      }[file.type];
      execFileSync(ffmpeg ?? '', ['-nostdin', '-v', 'error', ...how, '-y', join(media, file.name)]);
    }
  }, 120_000);

  it.runIf(programs.ffprobe)(
    'has files that each address leads to, with the frames that it says (ffprobe)',
    () => {
      for (const { kit } of kits.slice(0, 1)) {
        const { tracks } = JSON.parse(otio(kit)) as never;
        const urls = [...JSON.stringify(tracks).matchAll(/"target_url":"([^"]+)"/g)].map(([, url = '']) =>
          decodeURIComponent(url),
        );
        const whole = [...xmeml(kit, place).matchAll(/<pathurl>([^<]+)/g)].map(([, url = '']) =>
          fileURLToPath(url.replace('file://localhost/', 'file:///').replaceAll('&amp;', '&')),
        );
        const final = [...fcpxml(kit, place).matchAll(/ src="([^"]+)"/g)].map(([, url = '']) =>
          fileURLToPath(url.replaceAll('&amp;', '&')),
        );
        expect(new Set(whole)).toEqual(new Set(urls.map((url) => join(folder, url))));
        expect(new Set(final)).toEqual(new Set(whole));
        for (const file of kit.files) {
          const shown = [
            '-v',
            'error',
            '-count_frames',
            '-show_entries',
            'stream=codec_type,nb_read_frames,r_frame_rate',
            '-of',
            'json',
          ];
          const out = execFileSync('ffprobe', [...shown, join(media, file.name)], { encoding: 'utf8' });
          const { streams } = JSON.parse(out) as {
            streams: { codec_type: string; nb_read_frames: string; r_frame_rate: string }[];
          };
          const video = streams.find((each) => each.codec_type === 'video');
          expect(video !== undefined).toBe(file.type !== 'sound');
          expect(streams.some((each) => each.codec_type === 'audio')).toBe(file.channels > 0);
          if (file.type === 'film') {
            expect([Number(video?.nb_read_frames), video?.r_frame_rate]).toEqual([
              file.frames,
              `${file.rate.num}/${file.rate.den}`,
            ]);
          }
        }
      }
    },
    120_000,
  );

  it.runIf(programs.xmllint)('has XML that another parser reads (xmllint)', () => {
    for (const { kit } of kits) {
      for (const text of [xmeml(kit, place), fcpxml(kit, place)]) {
        const file = join(folder, 'check.xml');
        writeFileSync(file, text);
        execFileSync('xmllint', ['--nonet', '--noout', file]);
      }
    }
  });

  it.runIf(programs.melt)(
    'plays in MLT frame by frame as long as it was laid out (melt)',
    () => {
      for (const { kit, rate } of kits) {
        const items = kit.tracks[0]?.items ?? [];
        const { num, den } = rate;
        const profile = {
          ...{ frame_rate_num: num, frame_rate_den: den, width: 320, height: 180, progressive: 1, colorspace: 709 },
          ...{ sample_aspect_num: 1, sample_aspect_den: 1, display_aspect_num: 16, display_aspect_den: 9 },
        };
        const files = [...new Set(items.map(({ file }) => file))];
        const entry = ({ file, in: from, length }: KitItem): Xml => {
          // MLT counts a file in the frames of its profile.
          const begin = file.type === 'still' ? 0 : convertFrames(from, file.rate, rate);
          return xml('entry', { producer: `p${file.number}`, in: begin, out: begin + length - 1 });
        };
        const source = xml(
          'mlt',
          {},
          xml('profile', profile),
          files.map(({ number, name }) =>
            xml('producer', { id: `p${number}` }, xml('property', { name: 'resource' }, join(media, name))),
          ),
          xml('playlist', { id: 'main' }, items.map(entry)),
        );
        const [given, copy] = [join(folder, 'cut.mlt'), join(folder, 'read.mlt')];
        writeFileSync(given, source?.text ?? '');
        execFileSync('melt', ['-silent', given, '-consumer', `xml:${copy}`, 'time_format=frames'], { stdio: 'pipe' });
        // MLT ends an entry where its file ends, so that the whole is shorter where a file does not have the frames.
        const [, out] = /<entry [^>]*in="0" out="(\d+)"/.exec(readFileSync(copy, 'utf8')) ?? [];
        expect(Number(out) + 1).toBe(items.reduce((sum, { length }) => sum + length, 0));
      }
    },
    240_000,
  );
});
