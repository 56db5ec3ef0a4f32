import { below, type Place } from '../files/place.ts';
import { isOwnFile, listFolder, look } from '../files/project-files.ts';

const ASCII = /^[ -~]*$/;

/** Two names with the same fold are the same file on at least one of the three systems. */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  // Up and down again: `ß` and `SS`, or the two lower-case sigmas, must not pass as different.
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

/** The `attempt`-th name to try: `a.mp4`, then `a_2.mp4`, `a_3.mp4`, … */
export function numberedName(stem: string, extension: string, attempt: number): string {
  return attempt === 1 ? `${stem}.${extension}` : `${stem}_${attempt}.${extension}`;
}

interface Taken {
  readonly name: string;
  /** As far as they are known. */
  bytes: number | null;
  sha256: string | null;
}

export interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The names taken in one folder, which is read once: those on disk then, and those of files placed since or on their way.
 * Whether a name is still taken is seen by looking at it alone.
 */
export class FolderNames {
  readonly #folder: Place;
  readonly #claimed = new Set<string>();
  #listed: Promise<Map<string, readonly Taken[]>> | null = null;

  constructor(folder: Place) {
    this.#folder = folder;
  }

  /** Claims a name for a file about to be placed. False when another file has it in any spelling. */
  async claim(name: string): Promise<boolean> {
    const fold = foldName(name);
    const taken = await this.#names();
    for (let first = taken.get(fold)?.[0]; first; first = taken.get(fold)?.[0]) {
      const found = await look(below(this.#folder, first.name));
      // An empty file is a name that a crash left reserved, and there is nothing in it to lose.
      if (found !== null && !(isOwnFile(found) && found.size === 0)) {
        first.bytes = found.size;
        return false;
      }
      // Its owner has removed the file.
      remove(taken, fold, first);
    }
    if (this.#claimed.has(fold)) return false;
    this.#claimed.add(fold);
    return true;
  }

  async settle(name: string, placed: Content | null): Promise<void> {
    const fold = foldName(name);
    // Listed before the claim ends: at no moment is the name of a placed file free.
    if (placed) add(await this.#names(), { name, ...placed });
    this.#claimed.delete(fold);
  }

  /** The content of a file was read. */
  async learn(name: string, { bytes, sha256 }: Content): Promise<void> {
    const known = (await this.#names()).get(foldName(name))?.find((each) => each.name === name);
    if (known) Object.assign(known, { bytes, sha256 });
  }

  /** Whether a name belonged to a file with other content when we last looked. */
  async isOfOther(name: string, { bytes, sha256 }: Content): Promise<boolean> {
    const taken = (await this.#names()).get(foldName(name)) ?? [];
    const isOther = (each: Taken): boolean =>
      (each.bytes !== null && each.bytes !== bytes) || (each.sha256 !== null && each.sha256 !== sha256);
    return taken.length > 0 && taken.every(isOther);
  }

  #names(): Promise<Map<string, readonly Taken[]>> {
    this.#listed ??= this.#list();
    return this.#listed;
  }

  async #list(): Promise<Map<string, readonly Taken[]>> {
    const taken = new Map<string, readonly Taken[]>();
    for (const { name } of await listFolder(this.#folder)) add(taken, { name, bytes: null, sha256: null });
    return taken;
  }
}

function add(taken: Map<string, readonly Taken[]>, file: Taken): void {
  const fold = foldName(file.name);
  taken.set(fold, [...(taken.get(fold) ?? []), file]);
}

function remove(taken: Map<string, readonly Taken[]>, fold: string, file: Taken): void {
  taken.set(
    fold,
    (taken.get(fold) ?? []).filter((each) => each !== file),
  );
}
