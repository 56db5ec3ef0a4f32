import type { Cut } from '../../contract/cut.ts';
import type { Reel, ReelClip, ReelTake } from '../../contract/reel.ts';
import type { TimelineMedia } from '../../contract/timeline.ts';
import { refused } from '../base/errors.ts';
import { exportCut } from './export-kit.ts';
import type { Kit, KitFile } from './kit.ts';

export interface WantedReel {
  readonly projectId: string;
  readonly cut: Cut;
  /** Absolute; see `exportCut`. */
  readonly folder: string;
  readonly named?: string | undefined;
}

/** Writes a cut with its files into a new folder, with a page for a person who reviews it elsewhere. See `exportCut`. */
export async function* exportReel(
  stores: Parameters<typeof exportCut>[0],
  { cut, ...wanted }: WantedReel,
  page: (reel: Reel) => string,
): ReturnType<typeof exportCut> {
  // Alternates are for editors: here they would double the files and never be seen.
  const shown: Cut = { ...cut, clips: cut.clips.map((clip) => ({ ...clip, alternates: [] })) };
  if (!shown.clips.some(({ enabled }) => enabled)) throw refused('empty_reel', 'failure.emptyReel');
  const id = crypto.randomUUID();
  return yield* exportCut(stores, { ...wanted, cut: shown, ascii: false, link: false }, (kit) =>
    Promise.resolve({ 'index.html': page(toReel(kit, { id, projectId: wanted.projectId })) }),
  );
}

/** Pure. */
function toReel({ timeline, tracks }: Kit, ids: Pick<Reel, 'id' | 'projectId'>): Reel {
  const items = new Map(
    tracks.flatMap((track) => track.items).flatMap((item) => (item.clip ? [[item.clip, item]] : [])),
  );
  const clips = timeline.clips.flatMap((clip): ReelClip[] => {
    const item = items.get(clip);
    if (!item) return [];
    const { shot, start, length, media } = clip;
    const { file, in: from, out } = item;
    return [
      {
        ...{ shot: shot.key, shotId: JSON.stringify([shot.batchId, shot.key]), text: shot.text },
        ...{ file: addressOf(file), type: file.type, rate: file.rate, in: from, out, start, length },
        take: media && toReelTake(media),
      },
    ];
  });
  const music = tracks
    .flatMap((track) => track.items)
    .filter(({ clip }) => clip === null)
    .map(({ file, start, length, in: from, gain }) => ({
      ...{ file: addressOf(file), start, length, in: from, volume: Math.min(1, 10 ** (gain / 20)) },
    }));
  return { ...ids, name: timeline.name, rate: timeline.rate, clips, music };
}

function toReelTake({ takeId, take, output, sha256, verdict, notes }: TimelineMedia): ReelTake {
  return {
    ...{ takeId, number: take, output, sha256, ...verdict },
    notes: notes.map(({ from, text, by }) => ({ from, text, ...(by !== undefined && { by }) })),
  };
}

const addressOf = ({ name }: KitFile): string => `media/${encodeURIComponent(name)}`;
