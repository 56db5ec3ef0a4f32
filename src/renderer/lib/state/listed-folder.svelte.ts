import type { FolderListing } from '../../../contract/project.ts';
import { toTrouble, type Trouble } from '../client.ts';

export class ListedFolder {
  readonly #read: (path: string | undefined) => Promise<FolderListing>;
  listing = $state.raw<FolderListing | null>(null);
  typedPath = $state('');
  selected = $state(-1);
  trouble = $state.raw<Trouble | null>(null);
  /** Counts the folders asked for: an answer that comes after the next question is not shown. */
  #asked = 0;

  /** `read`: lists a folder; without a path, the one of the person. */
  constructor(read: (path: string | undefined) => Promise<FolderListing>) {
    this.#read = read;
  }

  begin(start?: string): Promise<boolean> {
    this.listing = null;
    this.typedPath = '';
    return this.go(start);
  }

  /** True once the folder is shown. Text typed since the request stays. */
  async go(path: string | undefined): Promise<boolean> {
    this.#asked += 1;
    const turn = this.#asked;
    const typed = this.typedPath;
    try {
      const next = await this.#read(path === '' ? undefined : path);
      if (turn !== this.#asked) return false;
      const typedSince = this.typedPath;
      this.show(next);
      if (typedSince !== typed) this.typedPath = typedSince;
      return true;
    } catch (error) {
      if (turn !== this.#asked) return false;
      this.trouble = toTrouble(error);
      // When a folder has gone, the person must still see one.
      return this.listing === null && path !== undefined && this.go(undefined);
    }
  }

  show(next: FolderListing): void {
    this.listing = next;
    this.typedPath = next.path;
    this.trouble = null;
    this.selected = -1;
  }
}
