import { t, withDots } from '../../../../contract/messages/words.ts';
import { viewNamed, type SavedView } from '../../../../contract/review.ts';
import { act } from '../../../lib/act.ts';
import { api } from '../../../lib/client.ts';
import { commandTable, type Command, type CommandLine } from '../../../lib/state/commands.svelte.ts';
import { projects } from '../../../lib/state/projects.svelte.ts';
import { resource } from '../../../lib/state/resource.svelte.ts';
import { toastError } from '../../../lib/toasts.ts';
import { isSameFilter, toViewFilter } from '../../../lib/filter-address.ts';
import { reviewPlace } from '../review-place.svelte.ts';

type Naming = { readonly what: 'new' } | { readonly what: 'rename'; readonly view: SavedView };

export class ProjectViews {
  readonly #views = resource({
    of: () => reviewPlace.filter.projectId,
    read: (projectId: string) => api.savedViews.list({ projectId }),
    changedBy: (changes, projectId) => changes.projects.includes(projectId),
    everyMs: 1000,
  });
  naming = $state.raw<Naming | null>(null);

  readonly all = $derived(this.#views.current ?? []);
  readonly shown = $derived.by(() => {
    const now = toViewFilter(reviewPlace.filter);
    return this.all.find(({ filter }) => isSameFilter(filter, now)) ?? null;
  });
  readonly #canChange = $derived(!projects.isReadOnly);
  /** The view that may be renamed and deleted. */
  readonly own = $derived(this.#canChange ? this.shown : null);
  readonly canSave = $derived(
    this.#canChange && reviewPlace.filter.near === undefined && reviewPlace.searchProblem === null,
  );

  named(name: string): SavedView | undefined {
    return viewNamed(this.all, name.trim());
  }

  /** Saves the present filter under a name, also in place of a view that has the name. Throws the engine's refusal. */
  async save(name: string): Promise<void> {
    const { projectId } = reviewPlace.filter;
    const id = this.named(name)?.id;
    await act('savedViews.save', { projectId, name, filter: toViewFilter(reviewPlace.filter), ...(id && { id }) });
    await this.#views.refresh();
  }

  async rename(before: SavedView, name: string): Promise<void> {
    if (name.trim() === before.name) return;
    await act('savedViews.save', { ...before, name });
    await this.#views.refresh();
  }

  async remove({ projectId, id }: SavedView): Promise<void> {
    await act('savedViews.remove', { projectId, id }).catch(toastError);
    await this.#views.refresh();
  }

  get commands(): Command[] {
    return commandTable('Review', 'review-', [
      ...this.all.map((view): CommandLine => {
        const title = t('review.showView', { name: view.name });
        return [`view-${view.id}`, title, '', () => reviewPlace.showView(view.filter)];
      }),
      ['save-view', withDots('review.saveView'), 'Shift+v', () => (this.naming = { what: 'new' }), () => this.canSave],
    ]);
  }
}
