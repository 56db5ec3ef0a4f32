import type { Place } from '../projects/place.ts';
import { listFolder } from '../projects/project-files.ts';

/** Two names with the same fold are the same file on at least one of the three systems. */
export function foldName(name: string): string {
  // Up and down again: `ß` and `SS`, or the two lower-case sigmas, must not pass as different.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** The `attempt`-th name to try: `a.mp4`, then `a_2.mp4`, `a_3.mp4`, … */
export function numberedName(stem: string, extension: string, attempt: number): string {
  return attempt === 1 ? `${stem}.${extension}` : `${stem}_${attempt}.${extension}`;
}

/** The names taken in one folder: those on disk when it was last read, and those claimed by files on their way. */
export class FolderNames {
  readonly #folder: Place;
  readonly #claimed = new Set<string>();
  #listed: Promise<Set<string>> | null = null;

  constructor(folder: Place) {
    this.#folder = folder;
  }

  /** Claims a name for a file about to be placed. False when another file has it in any spelling. */
  async claim(name: string): Promise<boolean> {
    const fold = foldName(name);
    this.#listed ??= this.#list();
    if ((await this.#listed).has(fold)) {
      // Somebody may have removed the file since: only what is there now is in the way.
      this.#listed = this.#list();
      if ((await this.#listed).has(fold)) return false;
    }
    if (this.#claimed.has(fold)) return false;
    this.#claimed.add(fold);
    return true;
  }

  /** Ends a claim: the file is there now, or will not come. */
  async settle(name: string, placed: boolean): Promise<void> {
    const fold = foldName(name);
    // Listed before the claim ends: at no moment is the name of a placed file free.
    if (placed) (await this.#listed)?.add(fold);
    this.#claimed.delete(fold);
  }

  async #list(): Promise<Set<string>> {
    return new Set((await listFolder(this.#folder)).map(({ name }) => foldName(name)));
  }
}
