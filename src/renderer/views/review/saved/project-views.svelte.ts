import { say } from '../../../../contract/messages/words.ts';
import { viewNamed, type SavedView } from '../../../../contract/saved-views.ts';
import { act } from '../../../lib/act.ts';
import { api } from '../../../lib/client.ts';
import type { Command } from '../../../lib/state/commands.svelte.ts';
import { projects } from '../../../lib/state/projects.svelte.ts';
import { resource } from '../../../lib/state/resource.svelte.ts';
import { toastError } from '../../../lib/toasts.ts';
import { isSameFilter, viewFilterOf } from '../../../lib/view-detail.ts';
import { reviewPlace } from '../review-place.svelte.ts';

/** The view that a name is asked for. */
type Naming = { readonly what: 'new' } | { readonly what: 'rename'; readonly view: SavedView };

export class ProjectViews {
  readonly read = resource({
    of: () => reviewPlace.filter.projectId,
    read: (projectId: string) => api.savedViews.list({ projectId }),
    changedBy: (changes, projectId) => changes.projects.includes(projectId),
    everyMs: 1000,
  });
  /** A name is being typed; null where none is. */
  naming = $state.raw<Naming | null>(null);

  readonly all = $derived(this.read.current ?? []);
  /** The view that is shown; null where the filter is none of them. */
  readonly shown = $derived.by(() => {
    const now = viewFilterOf(reviewPlace.filter);
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
    await act('savedViews.save', { projectId, name, filter: viewFilterOf(reviewPlace.filter), ...(id && { id }) });
    await this.read.refresh();
  }

  async rename(before: SavedView, name: string): Promise<void> {
    if (name.trim() === before.name) return;
    await act('savedViews.save', { ...before, name });
    await this.read.refresh();
  }

  async remove({ projectId, id }: SavedView): Promise<void> {
    await act('savedViews.remove', { projectId, id }).catch(toastError);
    await this.read.refresh();
  }

  get commands(): Command[] {
    const { own } = this;
    return [
      ...this.all.map((view) => ({
        id: `review-view-${view.id}`,
        title: say('review.showView', { name: view.name }),
        group: 'Review' as const,
        run: () => reviewPlace.showView(view.filter),
      })),
      {
        id: 'review-save-view',
        title: say('review.saveViewEllipsis'),
        group: 'Review',
        keys: 'Shift+v',
        run: () => (this.naming = { what: 'new' }),
        enabled: () => this.canSave,
      },
      ...(own
        ? [
            {
              id: 'review-rename-view',
              title: say('review.renameViewEllipsis', { name: own.name }),
              group: 'Review' as const,
              run: () => (this.naming = { what: 'rename', view: own }),
            },
            {
              id: 'review-delete-view',
              title: say('review.deleteView', { name: own.name }),
              group: 'Review' as const,
              run: () => void this.remove(own),
            },
          ]
        : []),
    ];
  }
}
