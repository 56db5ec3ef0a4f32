import type { ExportNews } from '../../contract/review.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import { wholePath } from '../folders.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

/** Hands on how far an export has come, until it is done or nobody listens: then it takes its copies away. */
async function* toastExport(
  copying: ReturnType<Services['engine']['review']['export']>,
  gone: AbortSignal,
): AsyncGenerator<ExportNews, void, undefined> {
  try {
    while (!gone.aborted) {
      const { done, value } = await copying.next();
      if (done) {
        yield { type: 'done', ...value };
        return;
      }
      yield { type: 'copied', ...value };
    }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    yield { type: 'failed', message: error.text, remedy: error.remedy };
  } finally {
    await copying.return({ folder: '', files: 0 });
  }
}

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
    judge: os.takes.judge.handler(({ input }) => ({ before: review.judge(input.ids, input.verdict, input.by) })),
    restore: os.takes.restore.handler(({ input }) => review.restore(input.before, input.verdict, input.by)),
    another: os.takes.another.handler(({ input }) => review.another(input)),
    estimate: os.takes.estimate.handler(({ input }) => review.estimate(input)),
    spent: os.takes.spent.handler(({ input }) => review.spent(input)),
    trashPlan: os.takes.trashPlan.handler(({ input }) => trash.plan(input.ids)),
    trash: os.takes.trash.handler(({ input }) => trash.put(input.ids, caller)),
    untrash: os.takes.untrash.handler(({ input }) => trash.restore(input.ids, caller)),
    trashSize: os.takes.trashSize.handler(({ input }) => trash.size(input.projectId)),
    emptyTrash: os.takes.emptyTrash.handler(({ input }) => trash.empty(input.projectId, caller)),
    export: os.takes.export.handler(({ input, signal }) =>
      toastExport(review.export(input.ids, wholePath(input.folder)), AbortSignal.any([signal ?? stopping, stopping])),
    ),
  };
}
