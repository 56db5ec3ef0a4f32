import type { Row } from '../../../lib/draft-rows.ts';

/** The rows of a list as this window shows them: the engine's, with the edits on their way on top. Counts from 0. */
export class ListRows {
  #rows = $state.raw<readonly Row[]>([]);
  #isRead = $state(false);
  /** How much of it was read so far, 0 to 1. */
  readShare = $state(0);
  readonly #whole = Promise.withResolvers<boolean>();

  /** Until then nothing of it is shown. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Resolves once it was read; false when it never will be. */
  get whole(): Promise<boolean> {
    return this.#whole.promise;
  }

  get all(): readonly Row[] {
    return this.#rows;
  }

  get count(): number {
    return this.#rows.length;
  }

  row(row: number): Row {
    return this.#rows[row] ?? [];
  }

  text(row: number, column: number): string {
    return this.#rows[row]?.[column] ?? '';
  }

  replace(rows: readonly Row[]): void {
    this.#rows = rows;
    this.#isRead = true;
    this.#whole.resolve(true);
  }

  giveUp(): void {
    this.#whole.resolve(false);
  }
}
