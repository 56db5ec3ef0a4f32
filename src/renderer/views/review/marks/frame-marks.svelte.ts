import { isAt, marksOf, toMarks, toNotes } from '../../../../contract/frame-changes.ts';
import type { FrameNote, Stroke } from '../../../../contract/frame-notes.ts';
import { t } from '../../../../contract/messages/words.ts';
import type { TakeView } from '../../../../contract/review.ts';
import { shownMedium } from '../../../lib/media/take-media.ts';
import { undoHistory } from '../../../lib/undo.svelte.ts';
import type { Transport } from '../player/transport.svelte.ts';
import type { ReviewSession } from '../review-session.svelte.ts';

/** A note that is being written. */
export interface Draft {
  readonly id: string;
  readonly take: TakeView;
  readonly output: number;
  readonly from: number;
  readonly before: FrameNote | null;
  to: number | undefined;
  text: string;
  strokes: readonly Stroke[];
}

interface Shown {
  readonly take: TakeView;
  readonly output: number;
}

/** Marks and notes of the film that is open in the player. Of a sound, in and out are of the player alone. */
export class FrameMarks {
  readonly #session: ReviewSession;
  readonly #transport: Transport;
  readonly #shown: () => Shown;
  draft = $state<Draft | null>(null);
  /** A person was asked whether the draft is thrown away. */
  isLeaving = $state(false);

  constructor(session: ReviewSession, transport: Transport, shown: () => Shown) {
    this.#session = session;
    this.#transport = transport;
    this.#shown = shown;
  }

  readonly isFilm = $derived.by(() => {
    const { take, output } = this.#shown();
    return shownMedium(take, output) === 'moving';
  });
  readonly marks = $derived.by(() => {
    const { take, output } = this.#shown();
    return this.isFilm ? marksOf(toMarks(take.verdict), output) : {};
  });
  readonly notes = $derived.by((): readonly FrameNote[] => {
    const { take, output } = this.#shown();
    return this.isFilm ? toNotes(take.verdict).filter((note) => note.output === output) : [];
  });
  /** What is drawn on the frame that is shown. */
  readonly strokes = $derived.by((): readonly Stroke[] => {
    const { frame } = this.#transport;
    const others = this.notes.filter((note) => note.id !== this.draft?.id && isAt(note, frame));
    return [...others.flatMap(({ strokes = [] }) => strokes), ...(this.draft?.strokes ?? [])];
  });

  readonly markIn = (): void => this.#mark('in');
  readonly markOut = (): void => this.#mark('out');

  readonly clearMarks = (): void => {
    const { output } = this.#shown();
    if (!this.isFilm) this.#transport.clearMarks();
    else if (this.marks.in !== undefined || this.marks.out !== undefined)
      this.#session.judge({ marks: [{ output, in: null, out: null }] });
  };

  /** The frame shown is the first one, or the last one, that is meant. */
  #mark(name: 'in' | 'out'): void {
    const { output } = this.#shown();
    if (!this.isFilm) {
      if (name === 'in') this.#transport.markIn();
      else this.#transport.markOut();
      return;
    }
    if (!this.#knowsFrames()) return;
    const { frame } = this.#transport;
    const { in: first = 0, out = Infinity } = this.marks;
    this.#transport.loop = true;
    this.#session.judge({
      marks: [
        name === 'in'
          ? { output, in: frame, ...(out <= frame && { out: null }) }
          : { output, out: frame + 1, ...(first > frame && { in: null }) },
      ],
    });
  }

  /** To the mark, and from there to the end of the film. */
  goTo(end: 'in' | 'out'): void {
    const { frame, lastFrame } = this.#transport;
    const mark = end === 'in' ? this.marks.in : this.marks.out && this.marks.out - 1;
    const rest = end === 'in' ? 0 : lastFrame;
    this.show(mark === undefined || mark === frame ? rest : mark);
  }

  show(frame: number): void {
    this.#transport.pause();
    this.#transport.seekFrame(frame);
  }

  showNext(): void {
    const { frame } = this.#transport;
    const next = this.notes.find(({ from }) => from > frame) ?? this.notes[0];
    if (next) this.show(next.from);
  }

  begin(): void {
    if (this.draft || !this.isFilm || !this.#knowsFrames()) return;
    this.#transport.pause();
    const from = this.#transport.frame;
    this.draft = {
      ...this.#shown(),
      id: crypto.randomUUID(),
      from,
      before: null,
      to: undefined,
      text: '',
      strokes: [],
    };
  }

  edit(before: FrameNote): void {
    const { id, from, to, text, strokes = [] } = before;
    this.show(from);
    this.draft = { ...this.#shown(), id, from, before, to, text, strokes };
  }

  draw(stroke: Stroke): void {
    if (this.draft) this.draft.strokes = [...this.draft.strokes, stroke];
  }

  remove({ id }: FrameNote): void {
    this.#session.judge({ removeNotes: [id] });
  }

  readonly isChanged = $derived.by(() => {
    if (!this.draft) return false;
    const { before, text, strokes, to } = this.draft;
    return text.trim() !== (before?.text ?? '') || strokes !== (before?.strokes ?? strokes) || to !== before?.to;
  });

  /** Keeps the draft with its take, which may not be the one shown any more. */
  save(): void {
    const { draft } = this;
    this.close();
    if (!draft) return;
    const { id, take, output, from, to, strokes, before } = draft;
    const text = draft.text.trim();
    if (text === '' && strokes.length === 0) return;
    const by = before?.by;
    const note: FrameNote = {
      ...{ id, output, from, ...(to !== undefined && to > from && { to }), text },
      ...(strokes.length > 0 && { strokes: [...strokes] }),
      ...(by !== undefined && { by }),
    };
    this.#session.judgeTake(take, { addNotes: [note] });
  }

  /** Closes the draft; asks first where something would be lost. */
  leave(): void {
    if (this.isChanged || (this.draft?.strokes.length ?? 0) > 0) this.isLeaving = true;
    else this.close();
  }

  close(): void {
    this.isLeaving = false;
    this.draft = null;
  }

  #knowsFrames(): boolean {
    const isKnown = this.#transport.ownRate !== undefined;
    if (!isKnown) undoHistory.said = t('review.framesNotTimed');
    return isKnown;
  }
}
