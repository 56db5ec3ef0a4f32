import { whyTakesStay, type TrashDone } from '../../contract/trash.ts';
import { step, type CommandFunctions, type Step } from './command-function.ts';

export const takes: CommandFunctions<'takes'> = {
  judge({ takeReview }, { ids, verdict, by: window }, { by }) {
    const { before, counts: facts } = takeReview.judge(ids, verdict, window, by);
    if (facts.verdicts === 0) return Promise.resolve(null);
    return Promise.resolve({ facts, undo: step('takes.restore', { before, verdict, by: window }) });
  },

  mergeReview({ takeReview }, { each }, { by }) {
    const { before, counts: facts } = takeReview.judgeEach(each, by);
    if (facts.verdicts === 0) return Promise.resolve(null);
    return Promise.resolve({ facts, undo: step('takes.restore', { before, verdict: {}, by: '', each: true }) });
  },

  restore({ takeReview }, { before, verdict, by: window, each }, { by }) {
    const { takeIds } = takeReview.restore(before, verdict, { window, by, each });
    if (takeIds.length === 0) return Promise.resolve(null);
    if (each) {
      const restored = new Set(takeIds);
      const again = before.filter(({ takeId }) => restored.has(takeId));
      return Promise.resolve({
        facts: { verdicts: takeIds.length },
        undo: step('takes.mergeReview', { each: again.map(({ takeId, set = {} }) => ({ takeId, verdict: set })) }),
      });
    }
    return Promise.resolve({
      facts: { verdicts: takeIds.length },
      // Only these again: the others were judged since.
      undo: step('takes.judge', { ids: takeIds, verdict, by: window }),
    });
  },

  async another({ takeReview }, wanted, { note }) {
    const take = await takeReview.another(wanted, (projectId) => note({ facts: { takes: 1 } }, { projectId }));
    return { undo: step('jobs.withdraw', { ids: [take.id] }), result: take };
  },

  async refresh({ takeReview }, { ids }, { note }) {
    const { queued, left } = await takeReview.refresh(ids, (takes, projectId) =>
      note({ facts: { takes } }, { projectId }),
    );
    const facts = { takes: queued.length };
    if (queued.length === 0) return left.length === 0 ? null : { undo: null, left, result: facts };
    return { facts, undo: step('jobs.withdraw', { ids: queued }), left, result: facts };
  },

  async more({ takeReview }, wanted, { note }) {
    const { takes: made, left } = await takeReview.more(wanted, (projectId, count) =>
      note({ facts: { takes: count } }, { projectId }),
    );
    if (made.length === 0 && left.length === 0) return null;
    const undo = made.length > 0 ? step('jobs.withdraw', { ids: made.map(({ id }) => id) }) : null;
    return { undo, left, result: made };
  },

  async trash({ trash }, { ids }, { by }) {
    return moved(await trash.move('trashing', ids, by), (takeIds) => step('takes.untrash', { ids: takeIds }));
  },

  async untrash({ trash }, { ids }, { by }) {
    return moved(await trash.move('restoring', ids, by), (takeIds) => step('takes.trash', { ids: takeIds }));
  },

  async emptyTrash({ trash }, { ids }, { by }) {
    return moved(await trash.move('emptying', ids, by), () => null);
  },
};

const moved = (done: TrashDone, undo: (takeIds: string[]) => Step | null) => ({
  ...(done.takes > 0 && { facts: { count: done.takes, bytes: done.bytes } }),
  undo: done.takes > 0 ? undo(done.takeIds) : null,
  left: whyTakesStay(done),
  result: done,
});
