import { csvTemplate } from '../../contract/kinds/index.ts';
import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import type { Implementer } from './implementer.ts';

export function draftsRouter(os: Implementer, services: Services) {
  const { drafts, views } = services.engine;
  return {
    drafts: {
      ...commandHandlers(os.drafts, 'drafts', services),
      list: os.drafts.list.handler(({ input }) => drafts.list(input.projectId)),
      get: os.drafts.get.handler(({ input }) => drafts.get(input.draftId)),
      rows: os.drafts.rows.handler(({ input }) => drafts.rows(input.draftId, input.start, input.count)),
      claim: os.drafts.claim.handler(({ input }) => drafts.claim(input.draftId, input.by, input.takeOver)),
      release: os.drafts.release.handler(({ input }) => drafts.release(input.draftId, input.by)),
      defects: os.drafts.defects.handler(({ input }) => drafts.defects(input.draftId, input.again)),
      tryRows: os.drafts.tryRows.handler(async ({ input }) => [...(await drafts.tryRows(input.draftId, input.rows))]),
      shots: os.drafts.shots.handler(({ input }) => drafts.shots(input.draftId, input.names)),
      plan: os.drafts.plan.handler(({ input }) =>
        drafts.plan(input.draftId, input.name, input.again, input.keepOthers),
      ),
      save: os.drafts.save.handler(({ input }) => drafts.save(input.draftId)),
      estimate: os.drafts.estimate.handler(({ input }) => drafts.estimate(input.projectId, input.cells)),
      template: os.drafts.template.handler(({ input: { kind } }) => ({
        fileName: `${kind}-shots.csv`,
        text: csvTemplate(kind),
      })),
    },
    batches: {
      list: os.batches.list.handler(({ input }) => views.batches(input.projectId)),
      ...commandHandlers(os.batches, 'batches', services),
    },
  };
}
