import type { CommandFunctions } from './command-function.ts';

export const drafts: CommandFunctions<'drafts'> = {
  open: ({ drafts }, { projectId, source, read }, { by }) => drafts.open(projectId, source, read, by),
  reread: ({ drafts }, { draftId, read }) => drafts.reread(draftId, read),
  edit: ({ drafts }, { draftId, revision, edit, editId }) => drafts.edit(draftId, revision, edit, editId),
  undo: ({ drafts }, { draftId }) => drafts.undo(draftId),
  redo: ({ drafts }, { draftId }) => drafts.redo(draftId),
  name: ({ drafts }, { draftId, name }) => drafts.name(draftId, name),
  start: ({ drafts }, { draftId, name, again, ...options }, { by }) =>
    drafts.start(draftId, name, again, { ...options, by }),
  discard: ({ drafts }, { draftId }) => drafts.discard(draftId),
  restore: ({ drafts }, { projectId, draftId }) => drafts.restore(projectId, draftId),
};
