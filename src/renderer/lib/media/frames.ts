import type { VideoSample } from 'mediabunny';
import PQueue from 'p-queue';
import type { WantedFrame } from '../../../contract/job.ts';
import { api, callHeaders, frameUrl, mediaUrl } from '../client.ts';
import { changeStream } from '../state/changes.svelte.ts';

/** Decoding must not slow the window. */
const turns = new PQueue({ concurrency: 1 });
const TIMEOUT_MS = 60_000;
const making = new Map<string, Promise<boolean>>();
/** Those that cannot be read here. */
const failed = new Set<string>();

/** Reads a frame of a film, where the engine has no ffmpeg, and gives it to the engine. False where it cannot be read. */
export async function makeFrame(wanted: WantedFrame): Promise<boolean> {
  const key = frameUrl(wanted.takeId, wanted.number, wanted.frame);
  if (failed.has(key)) return false;
  const made = making.get(key) ?? turns.add(() => readAndSend(wanted).catch(() => false));
  making.set(key, made);
  const isMade = await made.finally(() => making.delete(key));
  if (!isMade) failed.add(key);
  return isMade;
}

/** Reads the frames that rows wait for, until the returned function is called. */
export function readWantedFrames(): () => void {
  let isAsked = false;
  const look = async (): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    const wanted: WantedFrame[] = await api.jobs.wantedFrames().catch(() => []);
    isAsked = false;
    for (const each of wanted) await makeFrame(each);
  };
  void look();
  return changeStream.listen(({ jobs, resync }) => {
    if (resync || jobs.some(({ needsFrame }) => needsFrame !== undefined)) void look();
  });
}

async function readAndSend({ takeId, number: output, frame, frames }: WantedFrame): Promise<boolean> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const read = await readFrame(mediaUrl(takeId, output), { frame, frames }, late);
  if (!read) return false;
  const { number, picture } = read;
  const response = await fetch(`${frameUrl(takeId, output, frame)}?number=${number}`, {
    method: 'PUT',
    headers: { 'content-type': 'image/png', ...(await callHeaders()) },
    body: picture,
  });
  return response.ok;
}

async function readFrame(
  url: string,
  { frame, frames }: Pick<WantedFrame, 'frame' | 'frames'>,
  late: AbortSignal,
): Promise<{ number: number; picture: Blob } | null> {
  const { ALL_FORMATS, EncodedPacketSink, Input, UrlSource, VideoSampleSink } = await import('mediabunny');
  using input = new Input({ formats: ALL_FORMATS, source: new UrlSource(url, { getRetryDelay: () => null }) });
  late.addEventListener('abort', () => input.dispose());
  const track = await input.getPrimaryVideoTrack();
  if (!track || !(await track.canDecode())) return null;
  const times: number[] = [];
  const packets = new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true });
  // An edit list hides what comes before time 0.
  for await (const { timestamp } of packets) if (timestamp >= -ROUNDED) times.push(timestamp);
  times.sort((one, other) => one - other);
  // It may hide what comes at the end too, which only the facts of the file say.
  const number = numberIn(times.slice(0, frames), frame);
  const time = number === null ? undefined : times[number];
  if (number === null || time === undefined) return null;
  using sample = await new VideoSampleSink(track).getSample(time + ROUNDED);
  if (!sample) return null;
  return { number, picture: await toPng(sample, await track.getColorSpace()) };
}

/** Times are rounded to the container's unit, s. */
const ROUNDED = 0.0005;

/** As the engine counts; see its `numberIn`. Pure. */
function numberIn(times: readonly number[], frame: string): number | null {
  const last = times.length - 1;
  if (frame === 'first' || frame === 'in') return 0;
  if (frame === 'last' || frame === 'out') return last;
  const value = Number.parseFloat(frame) + (frame.endsWith('s') ? (times[0] ?? 0) : 0);
  if (frame.endsWith('f')) return value <= last ? value : null;
  const [end = 0, before = 0] = [times[last], times[last - 1]];
  if (value >= end + (end - before) + ROUNDED) return null;
  return Math.max(
    0,
    times.findLastIndex((time) => time <= value + ROUNDED),
  );
}

async function toPng(sample: VideoSample, colors: VideoColorSpaceInit): Promise<Blob> {
  const { displayWidth: width, displayHeight: height } = sample;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas to draw on.');
  const pixels = await pixelsOf(sample, colors);
  if (pixels) context.putImageData(new ImageData(pixels, width, height), 0, 0);
  else sample.draw(context, 0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/png' });
}

/** Luma of red and blue, by the name of the matrix. What names none is read as ffmpeg reads it. */
const WEIGHTS: Readonly<Record<string, readonly [number, number]>> = {
  bt709: [0.2126, 0.0722],
  'bt2020-ncl': [0.2627, 0.0593],
};
const USUAL = [0.299, 0.114] as const;

/**
 * The pixels as ffmpeg computes them, so that both read the same picture. Null for a layout that the canvas draws.
 * `colors`: as the film states them, since the browser guesses what is not stated.
 */
async function pixelsOf(
  sample: VideoSample,
  colors: VideoColorSpaceInit,
): Promise<Uint8ClampedArray<ArrayBuffer> | null> {
  const { format, visibleRect, displayWidth: width, displayHeight: height } = sample;
  const isPlain = sample.rotation === 0 && !sample.flip && visibleRect.width === width && visibleRect.height === height;
  if (!isPlain || (format !== 'I420' && format !== 'NV12')) return null;
  const data = new Uint8Array(sample.allocationSize());
  const [luma, blue, red = blue] = await sample.copyTo(data);
  if (!luma || !blue || !red) return null;
  const [kr, kb] = WEIGHTS[colors.matrix ?? ''] ?? USUAL;
  const kg = 1 - kr - kb;
  const isFull = colors.fullRange === true;
  const [black, scale, chroma] = isFull ? [0, 1, 1] : [16, 255 / 219, 255 / 224];
  const step = format === 'NV12' ? 2 : 1;
  const beside = format === 'NV12' ? 1 : 0;
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let y = 0, at = 0; y < height; y += 1) {
    const [lumaRow, blueRow, redRow] = [y * luma.stride, (y >> 1) * blue.stride, (y >> 1) * red.stride];
    for (let x = 0; x < width; x += 1, at += 4) {
      const place = (x >> 1) * step;
      const value = ((data[luma.offset + lumaRow + x] ?? 0) - black) * scale;
      const u = ((data[blue.offset + blueRow + place] ?? 0) - 128) * chroma;
      const v = ((data[red.offset + redRow + place + beside] ?? 0) - 128) * chroma;
      pixels[at] = value + 2 * (1 - kr) * v;
      pixels[at + 1] = value - (2 * kb * (1 - kb) * u + 2 * kr * (1 - kr) * v) / kg;
      pixels[at + 2] = value + 2 * (1 - kb) * u;
      pixels[at + 3] = 255;
    }
  }
  return pixels;
}

/** Of 255, and the share of a picture that is darker; as the engine has it. */
const DARK = 24;
const DARK_SHARE = 0.98;
const SAMPLED = 32;

/** Whether nearly all of a picture that is shown is black. */
export function isDarkPicture(image: HTMLImageElement): boolean {
  const context = new OffscreenCanvas(SAMPLED, SAMPLED).getContext('2d');
  if (!context || image.naturalWidth === 0) return false;
  context.drawImage(image, 0, 0, SAMPLED, SAMPLED);
  const { data } = context.getImageData(0, 0, SAMPLED, SAMPLED);
  const dark = data.filter((_value, at) => at % 4 === 0 && isDarkAt(data, at)).length;
  return dark >= SAMPLED * SAMPLED * DARK_SHARE;
}

const isDarkAt = (data: Uint8ClampedArray, at: number): boolean =>
  0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0) < DARK;
