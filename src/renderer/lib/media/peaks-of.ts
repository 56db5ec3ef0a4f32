/** The loudest sample of each of `points` equal parts, over all channels, from 0 to 1. Pure. */
export function computePeaks(channels: readonly Float32Array[], points: number): number[] {
  const length = channels[0]?.length ?? 0;
  const count = Math.min(points, length);
  return Array.from({ length: count }, (_, point) => {
    const start = Math.floor((point * length) / count);
    const end = Math.floor(((point + 1) * length) / count);
    let loudest = 0;
    for (const samples of channels) {
      for (let at = start; at < end; at += 1) loudest = Math.max(loudest, Math.abs(samples[at] ?? 0));
    }
    return Math.min(1, Math.round(loudest * 10_000) / 10_000);
  });
}
