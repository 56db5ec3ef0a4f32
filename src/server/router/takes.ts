import { wholePath } from '../folders.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function takesRouter(os: Implementer, { engine: { review } }: Services) {
  return {
    list: os.takes.list.handler(({ input: { start, count, ...filter } }) => review.list(filter, { start, count })),
    details: os.takes.details.handler(({ input }) => review.details(input.takeId)),
    models: os.takes.models.handler(({ input }) => review.models(input.projectId)),
    judge: os.takes.judge.handler(({ input }) => ({ before: review.judge(input.ids, input.verdict) })),
    restore: os.takes.restore.handler(({ input }) => review.restore(input.before, input.verdict)),
    another: os.takes.another.handler(({ input }) => review.another(input.takeId, input.changes)),
    estimate: os.takes.estimate.handler(({ input }) => review.estimate(input.takeId, input.changes)),
    spent: os.takes.spent.handler(({ input }) => review.spent(input)),
    export: os.takes.export.handler(({ input }) => review.export(input.ids, wholePath(input.folder))),
  };
}
