import { say } from '../../../../contract/messages/words.ts';
import { api } from '../../client.ts';
import type { Command } from '../../state/commands.svelte.ts';
import { navigation } from '../../state/navigation.svelte.ts';
import { Resource } from '../../state/resource.svelte.ts';
import { detailOf } from '../../view-detail.ts';

/** The saved views of the current project, for the palette of places that do not show takes: each opens review. */
export class ViewCommands {
  /** Review has its own, which change the grid on screen. */
  readonly #views = new Resource({
    of: () => (navigation.place.view === 'review' ? null : navigation.place.projectId),
    read: async (projectId) => (projectId === null ? [] : api.savedViews.list({ projectId })),
  });

  readonly all = $derived.by((): readonly Command[] =>
    (this.#views.current ?? []).map(({ id, projectId, name, filter }) => ({
      id: `review-view-${id}`,
      title: say('review.showView', { name }),
      group: 'Review',
      run: () => navigation.go('review', { projectId, detail: withoutEmpty(detailOf(filter)) }),
    })),
  );

  /** For `$effect`, while the palette is open. */
  follow(): () => void {
    return this.#views.follow();
  }
}

const withoutEmpty = (detail: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== ''));
