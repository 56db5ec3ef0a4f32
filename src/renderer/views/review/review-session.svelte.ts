import { SvelteMap } from 'svelte/reactivity';
import type { TakeDetails, TakeView, Verdict } from '../../../contract/review.ts';
import type { Changes } from '../../../contract/events.ts';
import { api } from '../../lib/client.ts';
import { tell, tellTrouble } from '../../lib/toasts.ts';
import { keep, kept } from './kept.ts';
import { Picking } from './picking.svelte.ts';
import { partsToRead, type Part } from './parts-to-read.ts';
import { OpenTake } from './recipe/open-take.svelte.ts';
import { reviewPlace } from './review-place.svelte.ts';
import { TakeList } from './take-list.svelte.ts';
import { Tally } from './tally.svelte.ts';
import { verdictsOf } from './verdicts.svelte.ts';
import { flagWords, takeName } from './words.ts';

/** Most takes side by side: more are too small to be judged. */
export const MOST_COMPARED = 4;
/** Changes that come together are read once, ms. */
const SETTLE_MS = 400;

/** Takes read on both sides of the open one, so that the next is there when its key is pressed. */
const READ_AHEAD = 30;

export type ReviewMode = 'grid' | 'single' | 'compare';

/** Everything the review view knows while it is shown. */
export class ReviewSession {
  readonly list = new TakeList();
  readonly picking = new Picking(this.list);
  readonly tally = new Tally();
  /** What is known of the take in focus beyond the list. */
  readonly details = new OpenTake();
  readonly verdicts = verdictsOf(reviewPlace.filter.projectId);

  #tileSize = $state(kept('tileSize', 220));
  #grouped = $state(kept('grouped', false));
  #autoAdvance = $state(kept('autoAdvance', true));
  #panel = $state(kept('panel', true));
  #pane = $state(0);
  /** A note is being written on what is judged. */
  noting = $state(false);
  /** Open takes as they were read last: a verdict or another filter may take them off the list. */
  readonly #others = new SvelteMap<string, TakeView>();
  #settling: ReturnType<typeof setTimeout> | undefined;
  #toRead: readonly Part[] = [];

  readonly #mode = $derived.by((): ReviewMode => {
    if (reviewPlace.open.length === 0) return 'grid';
    return reviewPlace.open.length === 1 ? 'single' : 'compare';
  });
  readonly #open = $derived.by(() => reviewPlace.open.flatMap((id) => this.takeOf(id) ?? []));
  readonly #focus = $derived.by((): TakeView | null => {
    if (this.#mode === 'grid') return this.list.items[this.picking.cursor] ?? null;
    return this.#open[Math.min(this.#pane, this.#open.length - 1)] ?? null;
  });

  /** Recipe and the rest of the very take in focus; null until they have come. */
  readonly #known = $derived.by((): TakeDetails | null => {
    const { details } = this.details;
    return details !== null && details.take.id === this.#focus?.id ? details : null;
  });

  get known(): TakeDetails | null {
    return this.#known;
  }

  get mode(): ReviewMode {
    return this.#mode;
  }

  /** The take that keys and the recipe panel are about. */
  get focus(): TakeView | null {
    return this.#focus;
  }

  /** The takes that are open, in their order. */
  get open(): readonly TakeView[] {
    return this.#open;
  }

  /** Which of the takes side by side the keys are about. */
  get pane(): number {
    return Math.min(this.#pane, Math.max(0, this.#open.length - 1));
  }

  set pane(pane: number) {
    this.#pane = (pane + this.#open.length) % Math.max(1, this.#open.length);
  }

  get tileSize(): number {
    return this.#tileSize;
  }

  set tileSize(pixels: number) {
    this.#tileSize = Math.max(120, Math.min(480, pixels));
    keep('tileSize', this.#tileSize);
  }

  get grouped(): boolean {
    return this.#grouped;
  }

  set grouped(grouped: boolean) {
    this.#grouped = grouped;
    keep('grouped', grouped);
  }

  get autoAdvance(): boolean {
    return this.#autoAdvance;
  }

  set autoAdvance(advance: boolean) {
    this.#autoAdvance = advance;
    keep('autoAdvance', advance);
  }

  get panel(): boolean {
    return this.#panel;
  }

  set panel(shown: boolean) {
    this.#panel = shown;
    keep('panel', shown);
  }

  takeOf(takeId: string): TakeView | undefined {
    return this.list.byId(takeId) ?? this.#others.get(takeId);
  }

  /** Ids of what keys judge: the selection in the grid, else the take in focus. */
  get judgedIds(): readonly string[] {
    const { selected } = this.picking;
    if (this.#mode === 'grid' && selected.size > 0) return [...selected];
    return this.#focus ? [this.#focus.id] : [];
  }

  /** Those of them that have been read. */
  get judged(): readonly TakeView[] {
    return this.judgedIds.flatMap((id) => this.takeOf(id) ?? []);
  }

  /** Takes side by side: those selected, else all takes of the shot in focus. */
  async compare(): Promise<void> {
    const chosen = this.#mode === 'grid' ? [...this.picking.selected] : [];
    const takes = chosen.length > 1 ? chosen.flatMap((id) => this.takeOf(id) ?? []) : await this.#siblings();
    if (takes.length < 2) {
      tell('This shot has one take. Select two to four takes to see them side by side.');
      return;
    }
    this.#pane = 0;
    this.#showTakes(takes.slice(0, MOST_COMPARED));
    if (takes.length > MOST_COMPARED)
      tell(`These are the first ${MOST_COMPARED} of ${takes.length} takes: more would be too small to judge.`);
  }

  show(take: TakeView): void {
    this.picking.follow(take.id);
    this.#showTakes([take]);
  }

  /** Opens the take under the cursor. */
  enter(): void {
    const take = this.#focus;
    if (this.#mode !== 'single' && take) this.show(take);
  }

  /** One step back: out of the take, then out of the selection. */
  back(): void {
    if (this.#mode === 'grid') this.picking.clear();
    else reviewPlace.show([]);
  }

  /** To the next take of the list, or the one before. Stays at the ends. */
  step(by: number): void {
    if (this.#mode === 'compare') {
      this.pane += by;
      return;
    }
    const from = this.#mode === 'single' ? this.list.indexOf(reviewPlace.open[0] ?? null) : this.picking.cursor;
    const to = Math.max(0, Math.min((from < 0 ? this.picking.cursor : from) + by, (this.list.total ?? 1) - 1));
    this.list.see(Math.max(0, to - READ_AHEAD), to + READ_AHEAD);
    this.picking.go(to);
    const take = this.list.items[to];
    if (this.#mode === 'single' && take) this.#showTakes([take]);
  }

  /** To another take of the same shot, oldest to newest. */
  stepInShot(by: number): void {
    const take = this.#focus;
    const siblings = this.details.details?.siblings ?? [];
    const place = siblings.findIndex((each) => each.id === take?.id);
    const next = place < 0 ? undefined : siblings[place + by];
    if (this.#mode === 'single' && next) this.show(next);
  }

  async selectAll(): Promise<void> {
    try {
      this.picking.select(await this.list.allIds());
    } catch (error) {
      tellTrouble(error);
    }
  }

  showVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    this.list.showVerdicts(verdicts);
    for (const [id, verdict] of verdicts) {
      const other = this.#others.get(id);
      if (other) this.#others.set(id, { ...other, verdict });
    }
    this.details.showVerdicts(verdicts);
  }

  judge(change: Partial<Verdict>): void {
    const ids = this.judgedIds;
    const seen = this.judged;
    const [first] = seen;
    if (ids.length === 0) return;
    const what = wordsOf(change);
    this.verdicts.judge(ids, seen, change, ids.length === 1 && first ? `${takeName(first)}: ${what}` : what);
    const goesOn = this.#autoAdvance && change.note === undefined && ids.length === 1;
    if (goesOn && this.#mode !== 'compare') this.step(1);
  }

  /** Shows what a message says, and reads what it makes necessary once that has settled. */
  listen(changes: Changes): void {
    this.verdicts.hear(changes.verdicts);
    const parts = partsToRead(changes, {
      filter: reviewPlace.filter,
      focus: this.#focus,
      isRead: (takeId) => this.takeOf(takeId) !== undefined,
    });
    this.#toRead = [...this.#toRead, ...parts];
    // Not put off by later messages: a busy queue sends four a second.
    if (parts.length === 0 || this.#settling !== undefined) return;
    this.#settling = setTimeout(
      () => {
        this.#settling = undefined;
        this.#read(this.#toRead);
      },
      changes.resync ? 0 : SETTLE_MS,
    );
  }

  #read(parts: readonly Part[]): void {
    this.#toRead = [];
    const readTally = (): unknown => parts.includes('tally') && this.tally.read(reviewPlace.filter);
    // Takes come first: counting keeps the engine busy.
    if (parts.includes('list')) void this.list.show(reviewPlace.filter).then(readTally);
    else readTally();
    if (parts.includes('details')) void this.details.read();
    for (const id of reviewPlace.open) if (!this.list.byId(id)) void this.#readOther(id);
  }

  /** The filter has changed: it begins at its top, and what is out of sight is not judged by accident. */
  startAfresh(): void {
    this.picking.startAfresh();
    this.#read(['list', 'tally', 'details']);
  }

  /** Reads open takes that nothing is known of: after a reload. */
  readMissing(): void {
    for (const id of reviewPlace.open) if (!this.takeOf(id)) void this.#readOther(id);
  }

  async #readOther(takeId: string): Promise<void> {
    try {
      const { take } = await api.takes.details({ takeId });
      this.#others.set(takeId, take);
    } catch (error) {
      this.#others.delete(takeId);
      if (!reviewPlace.open.includes(takeId)) return;
      reviewPlace.show(reviewPlace.open.filter((id) => id !== takeId));
      tellTrouble(error);
    }
  }

  #showTakes(takes: readonly TakeView[]): void {
    const ids = takes.map(({ id }) => id);
    for (const take of takes) this.#others.set(take.id, take);
    reviewPlace.show(ids);
    for (const id of [...this.#others.keys()]) if (!ids.includes(id)) this.#others.delete(id);
  }

  /** Saved takes of the shot in focus, which comes first. */
  async #siblings(): Promise<readonly TakeView[]> {
    const take = this.#focus;
    if (!take) return [];
    try {
      const { siblings } = await api.takes.details({ takeId: take.id });
      return [take, ...siblings.filter((each) => each.outputs.length > 0 && each.id !== take.id)];
    } catch (error) {
      tellTrouble(error);
      return [];
    }
  }
}

function wordsOf({ rating, flag, note }: Partial<Verdict>): string {
  if (rating !== undefined) return rating === 0 ? 'not rated' : `${rating} of 5`;
  if (note !== undefined) return note === '' ? 'note removed' : 'note written';
  return flagWords[flag ?? 'none'];
}
