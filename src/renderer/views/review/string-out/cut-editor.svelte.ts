import {
  addClips,
  addMissingPicks,
  chooseTake,
  missingPicks,
  setEnabled,
  type Clip,
  type Cut,
  type CutSummary,
} from '../../../../contract/cut.ts';
import type { Changes } from '../../../../contract/events.ts';
import { t } from '../../../../contract/messages/words.ts';
import type { TakeView } from '../../../../contract/review.ts';
import type { Timeline } from '../../../../contract/timeline.ts';
import { act } from '../../../lib/act.ts';
import { api, toTrouble, type Trouble } from '../../../lib/client.ts';
import { firstOutput } from '../../../lib/media/take-media.ts';
import { atMostEvery } from '../../../lib/throttle.ts';
import { toastError } from '../../../lib/toasts.ts';
import { reviewPlace } from '../review-place.svelte.ts';
import { excerptAround } from './string-out-clock.ts';

const SETTLE_MS = 400;

interface Shown {
  readonly cut: Cut;
  /** Null: of the picks, and not saved. */
  readonly revision: string | null;
  readonly timeline: Timeline;
  readonly then?: Place | undefined;
}

/** A frame of a clip, counted from where it begins in the cut. */
interface Place {
  readonly clipId: string;
  readonly offset: number;
}

interface Around {
  readonly take: TakeView;
  readonly output: number;
  readonly clipId: string;
  /** Those of the timeline. */
  readonly clips: readonly Clip[];
  readonly timeline: Timeline;
}

/** The cut that is open: as the engine has it, with the edits of this window, which are saved one after the other. */
export class CutEditor {
  readonly projectId: string;
  /** Null until it was read. */
  shown = $state.raw<Shown | null>(null);
  /** While a take is played with the shots around it. */
  around = $state.raw<Around | null>(null);
  cuts = $state.raw<readonly CutSummary[]>([]);
  trouble = $state.raw<Trouble | null>(null);
  #picks = $state.raw<Cut | null>(null);
  #turn: Promise<void> = Promise.resolve();

  /** Changes that come together are read once. */
  readonly #readSoon = atMostEvery(SETTLE_MS, () => this.open());

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  readonly clips = $derived(this.shown?.cut.clips ?? []);
  readonly isSaved = $derived(this.shown !== null && this.shown.revision !== null);
  /** Picks that this cut does not have. */
  readonly missing = $derived(
    this.shown && this.#picks && this.isSaved ? missingPicks(this.shown.cut, this.#picks).length : 0,
  );

  open(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  onChanges({ projects, verdicts, resync }: Changes): void {
    // A mark moves where a clip begins, and a pick is a clip of a cut that is not saved.
    if (resync || verdicts.length > 0 || projects.includes(this.projectId)) this.#readSoon();
  }

  /** Changes the cut as it is by then, and saves it as one step to undo. `then`: where the player is afterwards. */
  edit(change: (cut: Cut) => Cut, then?: Place): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.shown) return;
      const { cut: before, revision } = this.shown;
      const cut = change(before);
      if (cut !== before) await this.#save(cut, revision, then);
    });
  }

  /** Lays out a take with the shots before and after it, in the cut or, where that lacks the shot, among the picks. */
  playAround(takeId: string): Promise<void> {
    return this.#inTurn(async () => {
      const { projectId } = this;
      const [{ take }] = await Promise.all([api.takes.details({ takeId }), this.shown ? undefined : this.#read()]);
      const isOf = ({ shot }: Clip): boolean => shot.batchId === take.batchId && shot.key === take.shot;
      const own = this.shown?.cut;
      const cut = own?.clips.some(isOf) ? own : await api.cuts.fromPicks({ projectId, name: t('cut.firstName') });
      const clip = cut.clips.find(isOf);
      if (!clip) throw new Error(t('stringOut.notInCut', { shot: take.shot }));
      const output = firstOutput(take);
      const edited = setEnabled(chooseTake(cut, clip.id, take.id, output), [clip.id], true);
      const timeline = excerptAround(await api.cuts.layOut({ projectId, cut: edited }), clip.id);
      if (!timeline || reviewPlace.stringOut !== takeId) return;
      const clips = edited.clips.filter(({ id }) => timeline.clips.some((each) => each.id === id));
      this.around = { take, output, clipId: clip.id, clips, timeline };
    });
  }

  /** The take that was played around gets its place in the cut. */
  async useTake(): Promise<void> {
    const { around } = this;
    if (!around) return;
    const { take, output } = around;
    await this.edit((cut) => {
      const clip = cut.clips.find(({ shot }) => shot.batchId === take.batchId && shot.key === take.shot);
      if (clip) return chooseTake(cut, clip.id, take.id, output);
      const shot = { batchId: take.batchId, key: take.shot };
      return addClips(cut, [{ shot, take: take.id, output, enabled: true, alternates: [] }]);
    });
  }

  addPicks(): Promise<void> {
    return this.edit((cut) => (this.#picks ? addMissingPicks(cut, this.#picks) : cut));
  }

  /** Saves a cut that was made of the picks, as it is. */
  save(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.shown?.revision === null) await this.#save(this.shown.cut, null);
    });
  }

  /** A further cut, of all picks. Throws the engine's refusal. */
  async add(name: string): Promise<void> {
    const { projectId } = this;
    const cut = await api.cuts.fromPicks({ projectId, name });
    const done = await act('cuts.save', { projectId, cut, revision: null });
    reviewPlace.narrow({ cut: done?.result.name ?? name });
    await this.open();
  }

  /** Throws the engine's refusal. */
  async rename(to: string): Promise<void> {
    if (!this.shown) return;
    await act('cuts.rename', { projectId: this.projectId, name: this.shown.cut.name, to });
    reviewPlace.narrow({ cut: to });
    await this.open();
  }

  async remove(): Promise<void> {
    if (!this.shown) return;
    await act('cuts.remove', { projectId: this.projectId, name: this.shown.cut.name });
    reviewPlace.narrow({ cut: '' });
    await this.open();
  }

  choose(name: string): void {
    reviewPlace.narrow({ cut: name });
    void this.open();
  }

  async #save(cut: Cut, revision: string | null, then?: Place): Promise<void> {
    const { projectId } = this;
    const [done, timeline] = await Promise.all([
      act('cuts.save', { projectId, cut, revision }, { quietly: true }),
      api.cuts.layOut({ projectId, cut }),
    ]);
    if (!done) return;
    const { name, revision: saved } = done.result;
    this.shown = { cut: { ...cut, name }, revision: saved, timeline, then };
    if (revision === null) this.cuts = await api.cuts.list({ projectId });
  }

  async #read(): Promise<void> {
    const { projectId } = this;
    this.cuts = await api.cuts.list({ projectId });
    const found = this.cuts.find(({ name }) => name === reviewPlace.cut) ?? this.cuts[0];
    this.shown = found ? await this.#stored(found) : await this.#ofPicks();
    this.trouble = null;
    if (found) this.#picks = await api.cuts.fromPicks({ projectId, name: found.name });
  }

  async #stored({ name }: CutSummary): Promise<Shown> {
    const { projectId } = this;
    const [{ cut, revision }, timeline] = await Promise.all([
      api.cuts.get({ projectId, name }),
      api.cuts.timeline({ projectId, name }),
    ]);
    return { cut, revision, timeline };
  }

  async #ofPicks(): Promise<Shown> {
    const { projectId } = this;
    const cut = await api.cuts.fromPicks({ projectId, name: t('cut.firstName') });
    return { cut, revision: null, timeline: await api.cuts.layOut({ projectId, cut }) };
  }

  /** One after the other: each edit is of the cut that the one before it made. Never rejects. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch(async (error: unknown) => {
      if (this.shown) toastError(error);
      else this.trouble = toTrouble(error);
      // Changed elsewhere: what is there now is shown, so that the next edit is one of it.
      if (this.shown) await this.#read().catch(() => undefined);
    });
    return this.#turn;
  }
}
