import { wholePath } from '../folders.ts';
import { forwardExport } from './forward.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function takesRouter(os: Implementer, { engine: { review, trash }, caller, stopping }: Services) {
  return {
    list: os.takes.list.handler(({ input: { start, count, ...filter } }) => review.list(filter, { start, count })),
    ids: os.takes.ids.handler(({ input }) => review.ids(input)),
    groups: os.takes.groups.handler(({ input }) => review.groups(input)),
    tally: os.takes.tally.handler(({ input }) => review.tally(input)),
    details: os.takes.details.handler(({ input }) => review.details(input.takeId)),
    models: os.takes.models.handler(({ input }) => review.models(input.projectId)),
    columns: os.takes.columns.handler(({ input }) => review.columns(input.projectId)),
    tags: os.takes.tags.handler(({ input }) => review.tags(input.projectId)),
    judge: os.takes.judge.handler(({ input }) => ({
      before: review.judge(input.ids, input.verdict, input.by, caller),
    })),
    restore: os.takes.restore.handler(({ input }) => review.restore(input.before, input.verdict, input.by, caller)),
    another: os.takes.another.handler(({ input }) => review.another(input, caller)),
    estimate: os.takes.estimate.handler(({ input }) => review.estimate(input)),
    spent: os.takes.spent.handler(({ input }) => review.spent(input)),
    atStake: os.takes.atStake.handler(({ input }) => review.atStake(input.ids)),
    trashPlan: os.takes.trashPlan.handler(({ input }) => trash.plan(input.ids)),
    trash: os.takes.trash.handler(({ input }) => trash.put(input.ids, caller)),
    untrash: os.takes.untrash.handler(({ input }) => trash.restore(input.ids, caller)),
    trashSize: os.takes.trashSize.handler(({ input }) => trash.size(input.projectId)),
    emptyTrash: os.takes.emptyTrash.handler(({ input }) => trash.empty(input.ids, caller)),
    export: os.takes.export.handler(({ input, signal }) =>
      forwardExport(review.export(input.ids, wholePath(input.folder)), AbortSignal.any([signal ?? stopping, stopping])),
    ),
  };
}
