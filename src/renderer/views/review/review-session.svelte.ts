import type { Changes } from '../../../contract/events.ts';
import { t } from '../../../contract/messages/words.ts';
import { isUnsent } from '../../../contract/job.ts';
import type { TakeDetails, TakeView, Verdict, VerdictChange } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { Resource } from '../../lib/state/resource.svelte.ts';
import { toast, toastError } from '../../lib/toasts.ts';
import { OpenTakes } from './open-takes.svelte.ts';
import { staleParts, type Part } from './stale-parts.ts';
import { advancesAfter } from './preferences.svelte.ts';
import { reviewPlace } from './review-place.svelte.ts';
import { TakeList } from './take-list.svelte.ts';
import { verdictsFor } from './verdicts.svelte.ts';
import { isMadeOtherwise, takeName, verdictWords } from './take-words.ts';
import { SvelteSet } from 'svelte/reactivity';

/** Most takes side by side: more are too small to judge. */
const MAX_COMPARED = 4;
/** Takes read on both sides of the open one, so that the next is there when its key is pressed. */
const READ_AHEAD = 30;
/** A person who moves through a hundred takes wants the recipe of the one they stop at, ms. */
const REST_MS = 120;
/** Shots that are waited for and known here, and how often they are read at most, ms. */
const [WAITS_AHEAD, WAITS_EVERY_MS] = [20, 1000];
/** Changes that come together are read once, ms. */
const SETTLE_MS = 400;

/** Retakes that one dialog asks about. */
const MAX_RETAKES = 50;

export type ReviewMode = 'grid' | 'single' | 'compare' | 'string-out';

export class ReviewSession {
  readonly list = new TakeList();
  readonly picking = new Picking(this.list);
  readonly open = new OpenTakes(this.list);
  /** How many takes have each flag, whichever of them the filter shows. */
  readonly tally = new Resource({
    of: () => {
      const { flag: _flag, group: _group, ...filter } = reviewPlace.filter;
      return filter;
    },
    read: api.takes.tally,
  });
  /** Facts about the focused take that the list lacks; those of the one before it until they have come. */
  readonly details = new Resource({
    of: () => this.focus?.id ?? null,
    read: async (takeId): Promise<TakeDetails | null> => (takeId === null ? null : api.takes.details({ takeId })),
    restMs: REST_MS,
    staysShown: true,
  });
  /** Shots of which a pick lets rows go, in the order of the lists. */
  readonly waits = new Resource({
    of: () => reviewPlace.filter.projectId,
    read: (projectId) =>
      projectId === '' ? Promise.resolve([]) : api.jobs.nextWaits({ projectId, wait: 'pick', count: WAITS_AHEAD }),
    changedBy: ({ jobs, verdicts }, projectId) =>
      verdicts.length > 0 || jobs.some((job) => job.projectId === projectId && isUnsent(job)),
    everyMs: WAITS_EVERY_MS,
    staysShown: true,
  });
  readonly verdicts = verdictsFor(reviewPlace.filter.projectId);
  /** The dialog that is open. */
  dialog = $state<'note' | 'tags' | 'export' | 'cut' | 'reel' | 'describe' | 'again' | 'retake' | 'finals' | null>(
    null,
  );
  #toRead: readonly Part[] = [];
  #settling: ReturnType<typeof setTimeout> | undefined;

  readonly mode = $derived.by((): ReviewMode => {
    if (reviewPlace.stringOut !== '') return 'string-out';
    if (reviewPlace.open.length === 0) return 'grid';
    return reviewPlace.open.length === 1 ? 'single' : 'compare';
  });
  /** None in a string-out, whose keys are about clips. */
  readonly focus = $derived.by((): TakeView | null => {
    if (this.mode === 'string-out') return null;
    return this.mode === 'grid' ? (this.list.items[this.picking.cursor] ?? null) : this.open.focus;
  });
  /** Recipe and the rest of the very take in focus; null until they have come. */
  readonly known = $derived.by((): TakeDetails | null => {
    const details = this.details.current ?? null;
    return details?.take.id === this.focus?.id ? details : null;
  });

  get judgedIds(): readonly string[] {
    const { selected } = this.picking;
    if (this.mode === 'grid' && selected.size > 0) return [...selected];
    return this.focus ? [this.focus.id] : [];
  }

  get judged(): readonly TakeView[] {
    return this.judgedIds.flatMap((id) => this.takeOf(id) ?? []);
  }

  takeOf(takeId: string): TakeView | undefined {
    return this.open.takeOf(takeId);
  }

  /** Takes side by side: those selected, else all takes of the shot in focus. */
  async compare(): Promise<void> {
    await this.picking.arriving;
    const chosen = this.mode === 'grid' ? [...this.picking.selected] : [];
    const takes = chosen.length > 1 ? chosen.flatMap((id) => this.takeOf(id) ?? []) : await this.#siblings();
    if (takes.length < 2) {
      toast(t('review.compareNeedsTwo'));
      return;
    }
    this.open.pane = 0;
    this.open.show(takes.slice(0, MAX_COMPARED));
    if (takes.length > MAX_COMPARED) toast(t('review.compareLimit', { most: MAX_COMPARED, total: takes.length }));
  }

  /** The take in focus in a row with the shots before and after it. */
  playAround(): void {
    if (this.focus) reviewPlace.showStringOut(this.focus.id);
  }

  /** A take that was made otherwise, and the one before it. */
  async pair(): Promise<void> {
    const take = this.focus;
    if (!take) return;
    const from = take.from?.find(isMadeOtherwise);
    try {
      const link = from ?? (await api.takes.details({ takeId: take.id })).usedIn.findLast(isMadeOtherwise);
      if (!link) return void toast(t('review.noPair'));
      const { take: other } = await api.takes.details({ takeId: link.takeId });
      this.open.show(from ? [other, take] : [take, other]);
      this.open.pane = 1;
    } catch (error) {
      toastError(error);
    }
  }

  /** Opens the dialog of retakes, for as many takes as it can show. */
  retake(): void {
    if (this.judgedIds.length > MAX_RETAKES) toast(t('review.retakeLimit', { most: MAX_RETAKES }));
    else this.dialog = 'retake';
  }

  show(take: TakeView): void {
    this.picking.follow(take.id);
    this.open.show([take]);
  }

  async showTake(takeId: string): Promise<void> {
    try {
      this.show((await api.takes.details({ takeId })).take);
    } catch (error) {
      toastError(error);
    }
  }

  enter(): void {
    const take = this.focus;
    if (this.mode !== 'single' && take) this.show(take);
  }

  /** One step back: out of the take, then out of the selection. */
  back(): void {
    if (this.mode === 'grid') this.picking.clear();
    else if (this.mode === 'string-out') reviewPlace.showStringOut('');
    else reviewPlace.show([]);
  }

  step(by: number): void {
    if (this.mode === 'compare') {
      this.open.pane += by;
      return;
    }
    const from = this.mode === 'single' ? this.list.indexOf(reviewPlace.open[0] ?? null) : this.picking.cursor;
    const to = Math.max(0, Math.min((from < 0 ? this.picking.cursor : from) + by, (this.list.total ?? 1) - 1));
    this.list.see(Math.max(0, to - READ_AHEAD), to + READ_AHEAD);
    this.picking.go(to);
    const take = this.list.items[to];
    if (this.mode === 'single' && take) this.open.show([take]);
  }

  stepInShot(by: number): void {
    const take = this.focus;
    const siblings = this.details.current?.siblings ?? [];
    const place = siblings.findIndex((each) => each.id === take?.id);
    const next = place < 0 ? undefined : siblings[place + by];
    if (this.mode === 'single' && next) this.show(next);
  }

  /** Runs it once the takes that are about to be selected are: a key may be quicker than the engine. */
  whenSelected(run: () => void): void {
    const { arriving } = this.picking;
    if (arriving === null) run();
    else void arriving.then(run);
  }

  judge(change: VerdictChange): void {
    const { arriving } = this.picking;
    if (arriving === null || this.mode !== 'grid') this.#judge(this.judgedIds, change);
    else void arriving.then((ids) => this.#judge(ids, change));
  }

  /** Judges one take, whichever is in focus. */
  judgeTake({ id }: Pick<TakeView, 'id'>, change: VerdictChange): void {
    this.#judge([id], change);
  }

  #judge(ids: readonly string[], change: VerdictChange): void {
    const seen = ids.flatMap((id) => this.takeOf(id) ?? []);
    const [first] = seen;
    if (ids.length === 0) return;
    const verdict = verdictWords(change);
    const isOne = ids.length === 1 && first !== undefined;
    const words = isOne ? t('common.namedValue', { name: takeName(first), value: verdict }) : verdict;
    this.verdicts.judge(ids, seen, change, words);
    if (ids.length !== 1 || this.mode === 'compare' || !advancesAfter(change)) return;
    if (change.flag !== 'pick' || !first) this.step(1);
    else if (this.waits.current) this.#goOnAfter(first);
    else void this.waits.refresh().then(() => this.focus?.id === first.id && this.#goOnAfter(first));
  }

  #goOnAfter(picked: TakeView): void {
    if (!this.#goToNextWait(picked)) this.step(1);
  }

  /** After a pick: to the next shot that something waits for. False where nothing does, or it is not in sight. */
  #goToNextWait(picked: TakeView): boolean {
    const waits = this.waits.current ?? [];
    const at = waits.findIndex(({ batchId, shot }) => batchId === picked.batchId && shot === picked.shot);
    const left = [...waits.slice(at + 1), ...waits.slice(0, Math.max(0, at))];
    // What is being read may be older than the pick.
    if (at >= 0) this.waits.current = left;
    const { batchId } = reviewPlace.filter;
    const next = left.find((each) => batchId === undefined || each.batchId === batchId);
    if (!next) return false;
    const place = this.list.indexOf(next.takeId);
    if (this.mode === 'grid') {
      if (place >= 0) this.picking.go(place);
      return place >= 0;
    }
    this.picking.follow(next.takeId);
    const take = this.takeOf(next.takeId);
    if (take) this.open.show([take]);
    else reviewPlace.show([next.takeId]);
    return true;
  }

  showVerdicts(verdicts: ReadonlyMap<string, Verdict>): void {
    this.list.showVerdicts(verdicts);
    this.open.showVerdicts(verdicts);
    const judged = (take: TakeView): TakeView => ({ ...take, verdict: verdicts.get(take.id) ?? take.verdict });
    this.details.adapt((details) =>
      details ? { ...details, take: judged(details.take), siblings: details.siblings.map(judged) } : null,
    );
  }

  onChanges(changes: Changes): void {
    this.verdicts.onVerdicts(changes.verdicts);
    const { filter } = reviewPlace;
    const isRead = (takeId: string): boolean => this.takeOf(takeId) !== undefined;
    const parts = staleParts(changes, { filter, focus: this.focus, isRead });
    this.#toRead = [...this.#toRead, ...parts];
    // Not put off by later messages: a busy queue sends four a second.
    if (parts.length === 0 || this.#settling !== undefined) return;
    this.#settling = setTimeout(() => this.#read(), changes.resync ? 0 : SETTLE_MS);
  }

  /** The filter has changed: it begins at its top, and takes out of sight cannot be judged by accident. */
  restart(): void {
    this.picking.restart();
    this.#toRead = ['list', 'tally', 'details'];
    this.#read();
  }

  #read(): void {
    const { filter } = reviewPlace;
    clearTimeout(this.#settling);
    this.#settling = undefined;
    const parts = this.#toRead;
    this.#toRead = [];
    const listed = parts.includes('list') ? this.list.show(filter) : Promise.resolve();
    // Takes come first: counting keeps the engine busy.
    if (parts.includes('tally')) void listed.then(() => this.tally.refresh());
    if (parts.includes('details')) void this.details.refresh();
    this.open.refresh();
  }

  /** Takes with files of the shot in focus, which comes first. */
  async #siblings(): Promise<readonly TakeView[]> {
    const take = this.focus;
    if (!take) return [];
    try {
      const { siblings } = await api.takes.details({ takeId: take.id });
      return [take, ...siblings.filter((each) => each.outputs.length > 0 && each.id !== take.id)];
    } catch (error) {
      toastError(error);
      return [];
    }
  }
}

class Picking {
  readonly #list: TakeList;
  readonly selected = new SvelteSet<string>();
  #cursorId = $state<string | null>(null);
  #cursorIndex = $state(0);
  #anchor = 0;
  /** All takes, until they are selected or something else is; none when they could not be read. */
  arriving: Promise<readonly string[]> | null = null;

  constructor(list: TakeList) {
    this.#list = list;
  }

  get cursor(): number {
    const place = this.#list.indexOf(this.#cursorId);
    const last = Math.max(0, (this.#list.total ?? 1) - 1);
    return place >= 0 ? place : Math.min(this.#cursorIndex, last);
  }

  go(index: number): void {
    this.clear();
    this.#anchor = this.#put(index);
  }

  follow(takeId: string): void {
    const index = this.#list.indexOf(takeId);
    if (index >= 0) this.#put(index);
  }

  extend(index: number): void {
    const to = this.#put(index);
    this.clear();
    const [first, last] = [Math.min(this.#anchor, to), Math.max(this.#anchor, to)];
    for (const take of this.#list.items.slice(first, last + 1)) if (take) this.selected.add(take.id);
  }

  toggle(index: number): void {
    this.arriving = null;
    const before = this.#list.items[this.cursor];
    // The cursor counts as chosen: adding a second take makes two.
    if (this.selected.size === 0 && before && before.id !== this.#list.items[index]?.id) this.selected.add(before.id);
    this.#anchor = this.#put(index);
    const take = this.#list.items[index];
    if (!take) return;
    if (!this.selected.delete(take.id)) this.selected.add(take.id);
  }

  selectAll(): void {
    const arriving: Promise<readonly string[]> = this.#list.allIds().catch((error: unknown) => {
      toastError(error);
      return [];
    });
    this.arriving = arriving;
    void arriving.then((ids) => {
      if (this.arriving !== arriving) return;
      this.clear();
      for (const id of ids) this.selected.add(id);
    });
  }

  clear(): void {
    this.arriving = null;
    this.selected.clear();
  }

  /** Another list: to its top, unless it holds the take that the cursor is on. */
  restart(): void {
    this.clear();
    this.#cursorIndex = 0;
    this.#anchor = 0;
  }

  #put(index: number): number {
    const inside = Math.max(0, Math.min(index, (this.#list.total ?? 1) - 1));
    this.#cursorIndex = inside;
    this.#cursorId = this.#list.items[inside]?.id ?? null;
    return inside;
  }
}
