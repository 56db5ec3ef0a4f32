import type { ShotSpec } from '../../contract/shot.ts';
import type { Stale } from '../../contract/take.ts';
import type { Json } from '../../contract/json.ts';

/** What a take was made from by a reference, and what has become of that. */
export interface PinnedSource {
  readonly takeId: string;
  readonly parameter: string;
  readonly cell: string;
  readonly output: number | null;
  /** Of the file that was sent, and of that file as it is now. Null for a frame, and for what is no file. */
  readonly sha256: string | null;
  readonly sha256Now: string | null;
  /** Its shot, and the name of its batch where that is another one; null where the take is not known here. */
  readonly batchId: string | null;
  readonly batch: string | null;
  readonly key: string | null;
  readonly take: number | null;
  /** The frame of the film that was used; and which one `#in` or `#out` means now, null where the film does not say. */
  readonly frame: number | null;
  readonly frameNow: number | null;
  readonly isSaved: boolean;
  readonly isTrashed: boolean;
  readonly isRejected: boolean;
  /** Made from the text that its row has now. */
  readonly isOfText: boolean;
  /** When the take that was made from it was asked for, ms. */
  readonly usedAt: number;
}

/** The take that a reference to a shot means now; see `resultsOf`. */
export interface Best {
  readonly takeId: string;
  readonly take: number;
  readonly isPick: boolean;
  readonly isOfText: boolean;
  /** When it was asked for, ms. */
  readonly askedAt: number;
}

export interface MadeTake<Source extends PinnedSource = PinnedSource> {
  readonly sources: readonly Source[];
  /** The row of the list as it is now, where the take was made from an earlier text of it; null otherwise. */
  readonly row: ShotSpec | null;
}

/**
 * Whether a take would be made from other sources if it were sent now, and the first reason. It looks only at what the
 * take has used: neither another model nor other settings, and nothing that a person chose for it by hand. Pure.
 */
export function staleness<Source extends PinnedSource>(
  { sources, row }: MadeTake<Source>,
  means: (source: Source) => Best | null,
): Stale | null {
  const changed = row && otherInRow(sources, row);
  if (changed) return { ...nameOf(changed), why: 'row' };
  for (const source of sources) {
    const found = changeOf(source, means(source));
    if (found) return { ...nameOf(source), ...found };
  }
  return null;
}

function changeOf(source: PinnedSource, best: Best | null): Pick<Stale, 'why' | 'now'> | null {
  const { isSaved, isTrashed, isRejected, isOfText, sha256, sha256Now, frame, frameNow } = source;
  if (best?.takeId === source.takeId) {
    if (isOther(sha256, sha256Now)) return { why: 'replaced' };
    return isOther(frame, frameNow) ? { why: 'marked' } : null;
  }
  const now = best && { now: best.take };
  if (isTrashed) return { why: 'trashed', ...now };
  if (!isSaved) return { why: 'gone', ...now };
  if (isRejected) return { why: 'rejected', ...now };
  if (best?.isPick) return { why: 'picked', ...now };
  if (!best || (best.isOfText && !isOfText)) return { why: 'reworded', ...now };
  // One of the same start that only ended later is no decision of a person.
  return best.askedAt > source.usedAt ? { why: 'newer', ...now } : null;
}

const isOther = <Fact>(then: Fact | null, now: Fact | null): boolean => then !== null && now !== null && then !== now;

/** The source that the row does not name any more as the take has used it, or any where it names others besides. */
function otherInRow(sources: readonly PinnedSource[], { prompt, params }: ShotSpec): PinnedSource | null {
  const left = Object.entries({ ...params, prompt }).flatMap(([parameter, value]) =>
    cellsIn(value).map((cell) => ({ parameter, cell })),
  );
  for (const source of sources) {
    const at = left.findIndex(({ parameter, cell }) => parameter === source.parameter && isSame(source, cell));
    if (at < 0) return source;
    left.splice(at, 1);
  }
  return left.length > 0 ? (sources[0] ?? null) : null;
}

function cellsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return /^shot:\/\/[^\n]*$/i.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(cellsIn) : [];
}

/** Whether another cell means the same shot, file and frame as the one that a source took the place of. */
function isSame(source: PinnedSource, cell: string): boolean {
  const used = fileIn(source, source.cell);
  return cell === source.cell || (used !== null && used === fileIn(source, cell));
}

/** The file and frame that a cell names of the shot of a source: `1#last`; null where it names another shot. */
function fileIn({ key, batch }: PinnedSource, cell: string): string | null {
  const name = cell.slice('shot://'.length);
  const shot = batch === null ? String(key) : `${batch}:${String(key)}`;
  const found = name.startsWith(shot) ? /^(?:\/(\d{1,15}))?(#.+)?$/.exec(name.slice(shot.length)) : null;
  return found && `${String(Number(found[1] ?? 1))}${(found[2] ?? '').toLowerCase()}`;
}

const nameOf = ({ takeId, key, batch, take }: PinnedSource): Pick<Stale, 'shot' | 'take'> => ({
  shot: key === null ? takeId : batch === null ? key : `${batch}:${key}`,
  ...(take !== null && { take }),
});
