import { areSameNotes, toNotes } from '../../contract/frame-changes.ts';
import { messageFor, type Message, type Text } from '../../contract/messages/message.ts';
import type { MergeRow, ReelReview, ReviewConflict, ReviewedTake, ReviewPlan } from '../../contract/reel-review.ts';
import type { TakeView } from '../../contract/review.ts';
import { noVerdict, type Verdict, type VerdictChange, withChange } from '../../contract/verdict.ts';
import { refused } from '../base/errors.ts';
import { readEach } from '../base/slices.ts';
import type { Stores } from '../db/stores.ts';
import { frameProblem } from './frame-checks.ts';

export interface Reviewed extends Pick<TakeView, 'id' | 'batchId' | 'shot' | 'take' | 'outputs' | 'verdict'> {
  /** Number of the take of its shot that is the pick, if that is another one. */
  readonly otherPick: number | null;
}

/** What the review of a reel would change in a project. Throws RefusedError for the review of another project. */
export async function planReview(
  { projects, review: store }: Pick<Stores, 'projects' | 'review'>,
  projectId: string,
  review: ReelReview,
): Promise<ReviewPlan> {
  const isHere = review.projectId === projectId && projects.get(projectId) !== null;
  if (!isHere) throw refused('other_project', 'reel.otherProject', 'remedy.openOtherProject');
  const ids = new Set(review.takes.map(({ takeId }) => takeId));
  const takes = await readEach([...ids], (id) => store.take(id));
  // Only a pick asks which take was the pick before.
  const picked = new Set(review.takes.filter(({ flag }) => flag === 'pick').map(({ takeId }) => takeId));
  const reviewed = takes
    .filter((take) => take.projectId === projectId)
    .map((take): Reviewed => {
      const [pick] = picked.has(take.id) ? store.otherPicks([take.id]) : [];
      return { ...take, otherPick: (pick !== undefined && store.take(pick)?.take) || null };
    });
  return planReviewMerge(new Map(reviewed.map((take) => [take.id, take])), review);
}

/**
 * What a take has none of is set; what it has already stays, and where that differs a person is asked. Notes at frames
 * are added under the name of the reviewer, each once. Pure.
 */
export function planReviewMerge(takes: ReadonlyMap<string, Reviewed>, review: ReelReview): ReviewPlan {
  const merge = new Merge(review.reviewer);
  const rows: MergeRow[] = [];
  const left: Text[] = [];
  let unknown = 0;
  for (const given of review.takes) {
    const known = takes.get(given.takeId);
    if (!known) unknown += 1;
    else if (known.outputs.find(({ number }) => number === given.output)?.sha256 === given.sha256) {
      const row = merge.row(known, given, left);
      if (row.conflicts.length > 0 || Object.keys(row.change).length > 0) rows.push(row);
    } else left.push(messageFor('reel.fileChanged', { shot: known.shot, take: String(known.take) }));
  }
  if (unknown > 0) left.push(messageFor('reel.unknownTakes', { count: unknown }));
  return { reviewer: review.reviewer, reel: review.reel, rows, left };
}

/** What an earlier part of the file sets counts for the later ones: a file may name a take, or a shot, twice. */
class Merge {
  readonly #reviewer: string;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #picks = new Map<string, string>();

  constructor(reviewer: string) {
    this.#reviewer = reviewer;
  }

  row(known: Reviewed, given: ReviewedTake, left: Text[]): MergeRow {
    const { id: takeId, shot, take } = known;
    const now = this.#verdicts.get(takeId) ?? known.verdict;
    const change: VerdictChange = {};
    const conflicts: ReviewConflict[] = [];
    const set = <Field extends 'rating' | 'flag' | 'note'>(field: Field, theirs: Verdict[Field] | undefined): void => {
      if (theirs === undefined || theirs === now[field]) return;
      const otherPick = theirs === 'pick' && known.otherPick;
      if (now[field] === noVerdict[field] && !otherPick) change[field] = theirs;
      else {
        const both = { mine: { [field]: now[field] }, theirs: { [field]: theirs } };
        conflicts.push({ field, ...both, ...(otherPick && { otherPick }) });
      }
    };
    set('rating', given.rating);
    set('flag', this.#onePick(known, given.flag));
    set('note', given.note);
    const { added, differing, problem } = this.#notes({ ...known, verdict: now }, given);
    if (added.length > 0) change.addNotes = added;
    if (problem) left.push(problem);
    this.#verdicts.set(takeId, withChange(now, change));
    return { takeId, shot, take, change, conflicts: [...conflicts, ...differing] };
  }

  /** A shot has one pick: a second one of the same file is an alternate. */
  #onePick({ id, batchId, shot }: Reviewed, flag: Verdict['flag'] | undefined): Verdict['flag'] | undefined {
    if (flag !== 'pick') return flag;
    const key = JSON.stringify([batchId, shot]);
    const picked = this.#picks.get(key) ?? id;
    this.#picks.set(key, picked);
    return picked === id ? flag : 'alternate';
  }

  #notes(known: Reviewed, { output, notes }: ReviewedTake) {
    const present = new Map(toNotes(known.verdict).map((note) => [note.id, note]));
    const differing: ReviewConflict[] = [];
    const added: NonNullable<VerdictChange['addNotes']> = [];
    let problem: Message | null = null;
    // Without the notes that it has, so that a long file takes no longer for each of them.
    const bare: Reviewed = { ...known, verdict: noVerdict };
    for (const each of new Map(notes.map((note) => [note.id, note])).values()) {
      const note = { ...each, output, by: this.#reviewer };
      const mine = present.get(note.id);
      const wrong = frameProblem(bare, { addNotes: [note] });
      if (wrong) problem = wrong;
      else if (!mine) added.push(note);
      else if (!areSameNotes([mine], [note])) {
        differing.push({ field: 'notes', mine: { addNotes: [mine] }, theirs: { addNotes: [note] } });
      }
    }
    const crowd = added.length > 0 ? frameProblem(known, { addNotes: added }) : null;
    return crowd ? { added: [], differing, problem: crowd } : { added, differing, problem };
  }
}
