import { csvTemplate } from '../../contract/kinds/index.ts';
import type { Services } from '../services.ts';
import { commandHandlers } from './commands.ts';
import type { Implementer } from './implementer.ts';
import { assureMayNameFiles } from '../folders.ts';

export function draftsRouter(os: Implementer, services: Services) {
  const { caller, engine } = services;
  const { drafts, views } = engine;
  return {
    drafts: {
      open: os.drafts.open.handler(({ input }) => {
        if (input.source.type === 'path') assureMayNameFiles(services);
        return drafts.open(input.projectId, input.source, input.read, caller);
      }),
      reread: os.drafts.reread.handler(({ input }) => drafts.reread(input.draftId, input.read, input.by)),
      list: os.drafts.list.handler(({ input }) => drafts.list(input.projectId)),
      get: os.drafts.get.handler(({ input }) => drafts.get(input.draftId)),
      rows: os.drafts.rows.handler(({ input }) => drafts.rows(input.draftId, input.start, input.count)),
      claim: os.drafts.claim.handler(({ input }) => drafts.claim(input.draftId, input.by, input.takeOver)),
      release: os.drafts.release.handler(({ input }) => drafts.release(input.draftId, input.by)),
      edit: os.drafts.edit.handler(({ input }) => drafts.edit(input.draftId, input.revision, input.edit, input)),
      undo: os.drafts.undo.handler(({ input }) => drafts.undo(input.draftId, input.by)),
      redo: os.drafts.redo.handler(({ input }) => drafts.redo(input.draftId, input.by)),
      defects: os.drafts.defects.handler(({ input }) => drafts.defects(input.draftId, input.again)),
      tryRows: os.drafts.tryRows.handler(async ({ input }) => [...(await drafts.tryRows(input.draftId, input.rows))]),
      shots: os.drafts.shots.handler(({ input }) => drafts.shots(input.draftId, input.names)),
      name: os.drafts.name.handler(({ input }) => drafts.name(input.draftId, input.name)),
      plan: os.drafts.plan.handler(({ input }) =>
        drafts.plan(input.draftId, input.name, input.again, input.keepOthers),
      ),
      start: os.drafts.start.handler(({ input }) =>
        drafts.start(input.draftId, input.name, input.again, { ...input, by: caller }),
      ),
      save: os.drafts.save.handler(({ input }) => drafts.save(input.draftId)),
      estimate: os.drafts.estimate.handler(({ input }) => drafts.estimate(input.projectId, input.cells)),
      discard: os.drafts.discard.handler(({ input }) => drafts.discard(input.draftId)),
      restore: os.drafts.restore.handler(({ input }) => drafts.restore(input.projectId, input.draftId)),
      template: os.drafts.template.handler(({ input: { kind } }) => ({
        fileName: `${kind}-shots.csv`,
        text: csvTemplate(kind),
      })),
    },
    batches: {
      list: os.batches.list.handler(({ input }) => views.batches(input.projectId)),
      ...commandHandlers(os.batches, 'batches', services),
      addShot: os.batches.addShot.handler(({ input }) => drafts.addShot(input.projectId, { ...input, by: caller })),
    },
  };
}
