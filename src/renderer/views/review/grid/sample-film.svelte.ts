import { firstOutput, shownMedium } from '../../../lib/media/take-media.ts';
import { projects } from '../../../lib/state/projects.svelte.ts';
import type { TakeList } from '../take-list.svelte.ts';

/** The first film of a sample that was just made: it plays in its tile until the person does something. */
export class SampleFilm {
  readonly #list: TakeList;
  #isOver = $state(matchMedia('(prefers-reduced-motion: reduce)').matches);
  #hadNone = false;
  #playing = $state<string | null>(null);

  constructor(list: TakeList) {
    this.#list = list;
  }

  /** The ID of its take; null while nothing plays by itself. */
  get playing(): string | null {
    return this.#isOver ? null : this.#playing;
  }

  end(): void {
    this.#isOver = true;
  }

  /** For `$effect`. */
  follow(): void {
    const { items, total } = this.#list;
    if (this.#isOver || total === null) return;
    const film = items.find((take) => take && shownMedium(take, firstOutput(take)) === 'moving');
    if (!film) this.#hadNone = true;
    else if (!this.#hadNone) this.#isOver = true;
    else if (projects.current?.isSample) this.#playing ??= film.id;
  }
}
