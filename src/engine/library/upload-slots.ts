import type { AssetType } from '../../contract/asset.ts';

/** Images first: many shots wait for few bytes. */
const RANK: Readonly<Record<AssetType, number>> = { image: 0, audio: 1, file: 2, video: 3 };

interface Waiter {
  readonly rank: number;
  readonly number: number;
  readonly go: () => void;
}

/** Lets few uploads go at once, small ones first, else in the order they came. */
export class UploadSlots {
  #free: number;
  #arrivals = 0;
  #waiting: Waiter[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs `work` as soon as there is room for it. */
  async run<Result>(type: AssetType, work: () => Promise<Result>): Promise<Result> {
    await this.#room(type);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #room(type: AssetType): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((go) => {
      this.#waiting.push({ rank: RANK[type], number: this.#arrivals++, go });
      this.#waiting.sort((a, b) => a.rank - b.rank || a.number - b.number);
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.go();
    else this.#free += 1;
  }
}
