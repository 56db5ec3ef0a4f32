import { wholePath } from '../../engine/files/existing-paths.ts';
import { commandHandlers } from './commands.ts';
import { forwardExport } from './forward.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function takesRouter(os: Implementer, services: Services) {
  const { engine, stopping } = services;
  const { review, trash } = engine;
  return {
    ...commandHandlers(os.takes, 'takes', services),
    list: os.takes.list.handler(({ input: { start, count, ...filter } }) => review.list(filter, { start, count })),
    ids: os.takes.ids.handler(({ input }) => review.ids(input)),
    groups: os.takes.groups.handler(({ input }) => review.groups(input)),
    tally: os.takes.tally.handler(({ input }) => review.tally(input)),
    details: os.takes.details.handler(({ input }) => review.details(input.takeId)),
    models: os.takes.models.handler(({ input }) => review.models(input.projectId)),
    columns: os.takes.columns.handler(({ input }) => review.columns(input.projectId)),
    tags: os.takes.tags.handler(({ input }) => review.tags(input.projectId)),
    estimate: os.takes.estimate.handler(({ input }) => review.estimate(input)),
    spent: os.takes.spent.handler(({ input }) => review.spent(input)),
    atStake: os.takes.atStake.handler(({ input }) => review.atStake(input.ids)),
    trashPlan: os.takes.trashPlan.handler(({ input }) => trash.plan(input.ids)),
    trashSize: os.takes.trashSize.handler(({ input }) => trash.size(input.projectId)),
    export: os.takes.export.handler(({ input, signal }) =>
      forwardExport(review.export(input.ids, wholePath(input.folder)), AbortSignal.any([signal ?? stopping, stopping])),
    ),
  };
}
