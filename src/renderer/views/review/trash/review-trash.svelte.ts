import { t, withDots } from '../../../../contract/messages/words.ts';
import {
  askInParts,
  LYING_IN_TRASH,
  NOT_WORTH_KEEPING,
  TAKES_AT_ONCE,
  type TrashDone,
  type TrashPlan,
} from '../../../../contract/trash.ts';
import { bytesForPeople } from '../../../../contract/units.ts';
import { act, actEach } from '../../../lib/act.ts';
import { api } from '../../../lib/client.ts';
import { commandTable, type Command } from '../../../lib/state/commands.svelte.ts';
import { navigation } from '../../../lib/state/navigation.svelte.ts';
import { unlessArchived } from '../../../lib/state/projects.svelte.ts';
import { resource } from '../../../lib/state/resource.svelte.ts';
import { toast, toastError, toastProgress } from '../../../lib/toasts.ts';
import { reviewPlace } from '../review-place.svelte.ts';
import type { ReviewSession } from '../review-session.svelte.ts';
import { takeName } from '../take-words.ts';

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
    const isOne = ids.length === 1 && first !== undefined;
    const title = isOne ? t('trash.moveTake', { take: takeName(first) }) : t('trash.moveTakes', { count: ids.length });
    void this.#plan(title, () => Promise.resolve(ids));
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
    void this.#plan(batch === undefined ? t('trash.keepBest') : t('trash.keepBestOf', { batch }), () =>
      api.takes.ids({ projectId, batchId, standing: 'saved', text: NOT_WORTH_KEEPING, sort: 'list' }),
    );
  }
}

/** The plan for putting takes into the trash. Throws the engine's refusal. */
async function planTrash(takeIds: readonly string[]): Promise<TrashPlan> {
  let plan: TrashPlan = { ...NOTHING };
  for await (const { sum } of askInParts(takeIds, (ids) => api.takes.trashPlan({ ids }))) plan = sum;
  return plan;
}

const NOTHING = { takes: 0, files: 0, bytes: 0, picks: 0, unjudged: 0, uploaded: 0, kept: 0, reasons: [] };

/** Puts takes into the trash, with Undo. Throws the engine's refusal. */
export const trashTakes = (takeIds: readonly string[]): Promise<void> =>
  move('takes.trash', takeIds, ({ takes, bytes }) => t('trash.trashed', { takes, size: bytesForPeople(bytes) }));

/** Restores takes from the trash, with Undo. Throws the engine's refusal. */
const restoreTakes = (takeIds: readonly string[]): Promise<void> =>
  move('takes.untrash', takeIds, ({ takes }) => t('trash.restored', { takes }));

/** Removes the files in a project's trash for good. Throws the engine's refusal. */
export const emptyTrash = async (projectId: string): Promise<void> =>
  move('takes.emptyTrash', await api.takes.ids({ projectId, text: LYING_IN_TRASH, sort: 'list' }), ({ takes, bytes }) =>
    t('trash.emptied', { takes, size: bytesForPeople(bytes) }),
  );

/**
 * So many take their time: the window is free, and a toast shows the progress. Takes moved before a stop stay moved.
 */
async function move(
  name: 'takes.trash' | 'takes.untrash' | 'takes.emptyTrash',
  takeIds: readonly string[],
  did: (done: Pick<TrashDone, 'takes' | 'bytes'>) => string,
): Promise<void> {
  const words = (all: readonly { readonly result: TrashDone }[]): string =>
    did({
      takes: all.reduce((sum, { result }) => sum + result.takes, 0),
      bytes: all.reduce((sum, { result }) => sum + result.bytes, 0),
    });
  const total = takeIds.length;
  if (total <= TAKES_AT_ONCE) {
    await act(name, { ids: [...takeIds] }, { words });
    return;
  }
  let asked = 0;
  let isStopped = false;
  const soFar = () => t('trash.progress', { way: name.slice('takes.'.length), asked, total });
  const toasted = toastProgress(soFar(), () => (isStopped = true));
  function* parts(): Generator<{ ids: string[] }> {
    for (; asked < total && !isStopped; asked = Math.min(total, asked + TAKES_AT_ONCE)) {
      toasted.show(soFar());
      yield { ids: takeIds.slice(asked, asked + TAKES_AT_ONCE) };
    }
  }
  void actEach(name, parts(), { words })
    .catch(toastError)
    .finally(() => {
      toasted.close();
      if (asked < total) toast(t('trash.left', { left: total - asked }));
    });
}
