import { SvelteSet } from 'svelte/reactivity';
import type { LibraryAsset, LibraryGroup } from '../../../contract/asset.ts';
import { act } from '../act.ts';
import { api, type Trouble } from '../client.ts';
import { resource } from '../state/resource.svelte.ts';
import { toastError } from '../toasts.ts';
import { everything, findAssets, type Wanted } from './find-assets.ts';

const READ_EVERY_MS = 1000;
const PAGE = 5000;

export class LibraryState {
  readonly projectId: string | null;
  readonly #read = resource({
    of: () => this.of,
    read: async (of) => {
      const [groups, all] = await Promise.all([api.library.groups(of), readAssets(of)]);
      this.#turned.clear();
      return { groups, all };
    },
    changedBy: (changes) => changes.library,
    everyMs: READ_EVERY_MS,
  });
  wanted = $state.raw<Wanted>(everything);
  /** Hidden or shown a moment ago, before the engine has said so. */
  readonly #turned = new SvelteSet<string>();

  readonly #known = $derived(
    this.#read.current?.all.map((asset) =>
      this.#turned.has(asset.id) ? { ...asset, hidden: !asset.hidden } : asset,
    ) ?? [],
  );
  readonly found = $derived(findAssets(this.#known, this.wanted));
  readonly visible = $derived(this.#known.filter((asset) => !asset.hidden));

  constructor(projectId: string | null) {
    this.projectId = projectId;
  }

  get groups(): readonly LibraryGroup[] {
    return this.#read.current?.groups ?? [];
  }

  get isRead(): boolean {
    return this.#read.current !== undefined;
  }

  get trouble(): Trouble | null {
    return this.#read.trouble;
  }

  get hiddenCount(): number {
    return this.#known.length - this.visible.length;
  }

  get group(): LibraryGroup | null {
    return this.groups.find((group) => group.id === this.wanted.group) ?? null;
  }

  named(assetId: string | undefined): LibraryAsset | undefined {
    return assetId === undefined ? undefined : this.#known.find((asset) => asset.id === assetId);
  }

  want(change: Partial<Wanted>): void {
    this.wanted = { ...this.wanted, ...change };
  }

  wantAll(): void {
    this.wanted = { ...everything, group: this.wanted.group, order: this.wanted.order };
  }

  read(): Promise<void> {
    return this.#read.refresh();
  }

  async hide(asset: LibraryAsset, hidden = true): Promise<void> {
    const turns = this.named(asset.id)?.hidden !== hidden;
    if (turns) this.#turn(asset.id);
    try {
      await act('library.hide', { ...this.of, assetId: asset.id, hidden });
      await this.read();
    } catch (error) {
      if (turns) this.#turn(asset.id);
      toastError(error);
    }
  }

  get of(): { projectId?: string } {
    return this.projectId === null ? {} : { projectId: this.projectId };
  }

  #turn(assetId: string): void {
    if (!this.#turned.delete(assetId)) this.#turned.add(assetId);
  }
}

async function readAssets(of: LibraryState['of']): Promise<readonly LibraryAsset[]> {
  const assets: LibraryAsset[] = [];
  for (;;) {
    const page = await api.library.assets({ ...of, hidden: true, start: assets.length, count: PAGE });
    assets.push(...page.assets);
    if (page.assets.length === 0 || assets.length >= page.total) return assets;
  }
}
