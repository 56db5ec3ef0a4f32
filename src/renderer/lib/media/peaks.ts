import PQueue from 'p-queue';
import { callHeaders, mediaUrl } from '../client.ts';
import { computePeaks } from './peaks-of.ts';

const POINTS = 2000;
/** Samples decoded for each second: loudness needs no more, and a long piece stays small. */
const SAMPLE_RATE = 8000;

const turns = new PQueue({ concurrency: 1 });
const known = new Map<string, readonly number[]>();

/** The waveform of a piece of music, from 0 to 1: as the engine keeps it, else computed once and given to it. */
export async function peaksFor(takeId: string, output: number, signal: AbortSignal): Promise<readonly number[] | null> {
  const key = `${encodeURIComponent(takeId)}/${output}`;
  const remembered = known.get(key);
  if (remembered) return remembered;
  const read = async () => known.get(key) ?? (await stored(key)) ?? compute(takeId, output, key);
  const peaks = await turns.add(read, { signal }).catch(() => null);
  if (peaks) known.set(key, peaks);
  return peaks;
}

async function stored(key: string): Promise<readonly number[] | null> {
  const response = await fetch(`/peaks/${key}`);
  if (response.status !== 200) return null;
  const peaks: unknown = await response.json();
  return Array.isArray(peaks) ? peaks.map(Number) : null;
}

async function compute(takeId: string, output: number, key: string): Promise<readonly number[]> {
  const response = await fetch(mediaUrl(takeId, output));
  if (!response.ok) throw new Error('The file cannot be read.');
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const sound = await context.decodeAudioData(await response.arrayBuffer());
  const channels = Array.from({ length: sound.numberOfChannels }, (_, channel) => sound.getChannelData(channel));
  const peaks = computePeaks(channels, POINTS);
  // Kept for next time; without it the waveform is computed again.
  await store(key, peaks).catch(() => undefined);
  return peaks;
}

async function store(key: string, peaks: readonly number[]): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(await callHeaders()) };
  await fetch(`/peaks/${key}`, { method: 'PUT', headers, body: JSON.stringify(peaks) });
}
