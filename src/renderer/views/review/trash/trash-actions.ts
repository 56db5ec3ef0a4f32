import { say, sayText } from '../../../../contract/messages/words.ts';
import {
  askInParts,
  LYING_IN_TRASH,
  TAKES_AT_ONCE,
  type TrashDone,
  type TrashPlan,
} from '../../../../contract/trash.ts';
import { bytesForPeople } from '../../../../contract/units.ts';
import { api } from '../../../lib/client.ts';
import { toast, toastError, toastProgress } from '../../../lib/toasts.ts';
import { ALREADY_SAID, toastWithUndo } from '../../../lib/undo.svelte.ts';

/** The plan for putting takes into the trash. Throws the engine's refusal. */
export async function planTrash(takeIds: readonly string[]): Promise<TrashPlan> {
  let plan: TrashPlan = { ...NOTHING };
  for await (const { sum } of askInParts(takeIds, (ids) => api.takes.trashPlan({ ids }))) plan = sum;
  return plan;
}

const NOTHING = { takes: 0, files: 0, bytes: 0, picks: 0, unjudged: 0, uploaded: 0, kept: 0, reasons: [] };

/** Puts takes into the trash, with Undo. Throws the engine's refusal. */
export const trashTakes = (takeIds: readonly string[]): Promise<void> =>
  intoTrash(takeIds, (words, moved) => toastWithUndo(words, () => outOfTrash(moved, justSay).then(() => ALREADY_SAID)));

/** Restores takes from the trash, with Undo. Throws the engine's refusal. */
export const restoreTakes = (takeIds: readonly string[]): Promise<void> =>
  outOfTrash(takeIds, (words, moved) => toastWithUndo(words, () => intoTrash(moved, justSay).then(() => ALREADY_SAID)));

/** Reports a move. An undo offers no undo itself: the undo key goes further back. */
type Tell = (words: string, moved: readonly string[]) => unknown;

const justSay: Tell = (words) => toast(words);

const intoTrash = (takeIds: readonly string[], tell: Tell): Promise<void> =>
  move(takeIds, {
    ask: (ids) => api.takes.trash({ ids }),
    soFar: 'trash.moving',
    tell: ({ takes, bytes, takeIds: moved }) =>
      tell(say('trash.trashed', { takes, size: bytesForPeople(bytes) }), moved),
  });

const outOfTrash = (takeIds: readonly string[], tell: Tell): Promise<void> =>
  move(takeIds, {
    ask: (ids) => api.takes.untrash({ ids }),
    soFar: 'trash.restoring',
    tell: ({ takes, takeIds: moved }) => tell(say('trash.restored', { takes }), moved),
  });

/** Removes the files in a project's trash for good. Throws the engine's refusal. */
export const emptyTrash = async (projectId: string): Promise<void> =>
  move(await api.takes.ids({ projectId, text: LYING_IN_TRASH, sort: 'list' }), {
    ask: (ids) => api.takes.emptyTrash({ ids }),
    soFar: 'trash.removing',
    tell: ({ takes, bytes }) => toast(say('trash.emptied', { takes, size: bytesForPeople(bytes) })),
  });

interface Move {
  readonly ask: (ids: string[]) => Promise<TrashDone>;
  readonly soFar: 'trash.moving' | 'trash.restoring' | 'trash.removing';
  /** Reports a move, with Undo where possible. */
  readonly tell: (done: TrashDone) => void;
}

async function move(takeIds: readonly string[], kind: Move): Promise<void> {
  if (takeIds.length > TAKES_AT_ONCE) moveMany(takeIds, kind).catch(toastError);
  else reportMoved(await kind.ask([...takeIds]), kind);
}

/**
 * So many take their time: the window is free, and a toast shows the progress. Takes moved before a stop stay moved.
 */
async function moveMany(takeIds: readonly string[], kind: Move): Promise<void> {
  const total = takeIds.length;
  let isStopped = false;
  let done: TrashDone | null = null;
  let asked = 0;
  const progress = toastProgress(say(kind.soFar, { asked, total }), () => (isStopped = true));
  try {
    for await (const part of askInParts(takeIds, kind.ask)) {
      ({ sum: done, asked } = part);
      if (isStopped) break;
      progress.show(say(kind.soFar, { asked, total }));
    }
  } finally {
    progress.close();
    if (done && asked < total) toast(say('trash.left', { left: total - asked }));
    if (done) reportMoved(done, kind);
  }
}

function reportMoved(done: TrashDone, { tell }: Move): void {
  if (done.takes > 0) tell(done);
  toastKept(done);
}

/** Why some takes stay, each reason once. */
export function reasonsOf({ reasons }: Pick<TrashPlan, 'reasons'>): string[] {
  return [...Map.groupBy(reasons, ({ problem }) => sayText(problem))].map(([problem, those]) => {
    const [first] = those;
    return those.length === 1 && first
      ? say('trash.takeStays', { shot: first.shot, take: first.take, reason: problem })
      : say('trash.takesStay', { count: those.length, reason: problem });
  });
}

function toastKept(done: TrashDone): void {
  for (const words of reasonsOf(done)) toastError(new Error(words));
}
