import { t, withDots } from '../../../../contract/messages/words.ts';
import { NOT_WORTH_KEEPING, type TrashPlan } from '../../../../contract/trash.ts';
import { api } from '../../../lib/client.ts';
import { commandTable, type Command } from '../../../lib/state/commands.svelte.ts';
import { navigation } from '../../../lib/state/navigation.svelte.ts';
import { unlessArchived } from '../../../lib/state/projects.svelte.ts';
import { resource } from '../../../lib/state/resource.svelte.ts';
import { toastError } from '../../../lib/toasts.ts';
import { reviewPlace } from '../review-place.svelte.ts';
import type { ReviewSession } from '../review-session.svelte.ts';
import { takeName } from '../take-words.ts';
import { planTrash, restoreTakes } from './trash-actions.ts';

interface Asked {
  readonly title: string;
  readonly takeIds: readonly string[];
  readonly plan: TrashPlan;
}

/** How often the size is read at most while takes are moved, ms. */
const SIZE_EVERY_MS = 1000;

export class ReviewTrash {
  readonly #session: ReviewSession;
  asked = $state.raw<Asked | null>(null);
  emptying = $state(false);
  #isPlanning = false;
  readonly size = resource({
    of: () => navigation.place.projectId ?? '',
    read: (projectId) => api.takes.trashSize({ projectId }),
    changedBy: (changes, projectId) => changes.projects.includes(projectId),
    everyMs: SIZE_EVERY_MS,
    staysShown: true,
  });

  constructor(session: ReviewSession) {
    this.#session = session;
  }

  get isShown(): boolean {
    return reviewPlace.filter.standing === 'trashed';
  }

  commands(): Command[] {
    const judged = () => this.#session.judged;
    const batchId = () => reviewPlace.filter.batchId ?? this.#session.focus?.batchId;
    const canTrash = () => judged().some(({ standing, trash }) => standing === 'saved' && trash === undefined);
    const canRestore = () => judged().some(({ trash }) => trash === 'trashed');
    const restore = () => restoreTakes(this.#session.judgedIds).catch(toastError);
    return [
      ...commandTable('Review', 'review-', [
        [
          'trash',
          withDots('trash.moveToTrash'),
          '$mod+Backspace',
          () => this.#session.whenSelected(() => this.#ask()),
          canTrash,
        ],
        ['untrash', t('trash.restoreFromTrash'), '$mod+Shift+Backspace', restore, canRestore],
        ['keep-best', withDots('trash.keepBest'), '', () => this.#askForRest(batchId()), () => batchId() !== undefined],
        ['empty-trash', withDots('trash.emptyTrash'), '', () => (this.emptying = true)],
      ]).map(unlessArchived),
      ...commandTable('Review', 'review-', [
        ['show-trash', t('trash.showTrash'), '', () => reviewPlace.narrow({ standing: 'trashed' })],
      ]),
    ];
  }

  #ask(): void {
    const ids = this.#session.judgedIds;
    const [first] = this.#session.judged;
    const name = ids.length === 1 && first ? takeName(first) : t('common.takes', { count: ids.length });
    void this.#plan(t('window.actionOn', { action: t('trash.moveToTrash'), name }), () => Promise.resolve(ids));
  }

  /** Asks what would happen first: the dialog says it from its first moment. */
  async #plan(title: string, read: () => Promise<readonly string[]>): Promise<void> {
    if (this.#isPlanning || this.asked) return;
    this.#isPlanning = true;
    try {
      const takeIds = await read();
      this.asked = { title, takeIds, plan: await planTrash(takeIds) };
    } catch (error) {
      toastError(error);
    } finally {
      this.#isPlanning = false;
    }
  }

  #askForRest(batchId: string | undefined): void {
    if (batchId === undefined) return;
    const { projectId } = reviewPlace.filter;
    const { batch } = this.#session.judged.find((take) => take.batchId === batchId) ?? {};
    const action = t('trash.keepBest');
    void this.#plan(batch === undefined ? action : t('window.actionOn', { action, name: batch }), () =>
      api.takes.ids({ projectId, batchId, standing: 'saved', text: NOT_WORTH_KEEPING, sort: 'list' }),
    );
  }
}
