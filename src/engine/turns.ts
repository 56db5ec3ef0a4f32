/** Works that must not meet: those of one name follow each other, in the order in which they were asked for. */
export class Turns {
  readonly #underWay = new Map<string, Promise<unknown>>();

  /** Does `work` once everything asked for before under this name is done. */
  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#underWay.get(name) ?? Promise.resolve()).then(work, work);
    this.#underWay.set(name, turn);
    const done = (): void => {
      if (this.#underWay.get(name) === turn) this.#underWay.delete(name);
    };
    turn.then(done, done);
    return turn;
  }

  /** Resolves when all that was asked for by now is done, well or not. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#underWay.values()]);
  }
}
