import type { CommandFunctions } from './command-function.ts';

export const drafts: CommandFunctions<'drafts'> = {
  open: ({ drafts }, { projectId, source, read }, { by }) => drafts.open(projectId, source, read, by),
  reread: ({ drafts }, { draftId, read, by }) => drafts.reread(draftId, read, by),
  edit: ({ drafts }, { draftId, revision, edit, ...hand }) => drafts.edit(draftId, revision, edit, hand),
  undo: ({ drafts }, { draftId, by }) => drafts.undo(draftId, by),
  redo: ({ drafts }, { draftId, by }) => drafts.redo(draftId, by),
  name: ({ drafts }, { draftId, name }) => drafts.name(draftId, name),
  start: ({ drafts }, { draftId, name, again, ...options }, { by }) =>
    drafts.start(draftId, name, again, { ...options, by }),
  discard: ({ drafts }, { draftId }) => drafts.discard(draftId),
  restore: ({ drafts }, { projectId, draftId }) => drafts.restore(projectId, draftId),
};
