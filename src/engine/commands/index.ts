import type { commands } from '../../contract/commands/index.ts';
import { agents, spending, windows } from './spending.ts';
import { batches } from './batches.ts';
import { clippings } from './clippings.ts';
import { cuts } from './cuts.ts';
import type { CommandFunctions } from './command-function.ts';
import { projects } from './projects.ts';
import { promptLibrary } from './prompt-library.ts';
import { savedViews } from './saved-views.ts';
import { jobs } from './jobs.ts';
import { takes } from './takes.ts';
import { library } from './library.ts';

const queue: CommandFunctions<'queue'> = {
  pause({ scheduler }) {
    const wasPaused = scheduler.isPausedByUser;
    scheduler.pause();
    return wasPaused ? null : { facts: {}, undo: null };
  },

  /** Also where nobody paused it: what else holds it back is tried again. */
  resume({ scheduler }) {
    const wasPaused = scheduler.isPausedByUser;
    scheduler.resume();
    return wasPaused ? { facts: {}, undo: null } : null;
  },
};

const nights: CommandFunctions<'nights'> = {
  seen: ({ nightReports }, { projectId, night }) => nightReports.seen(projectId, night),
};

const drafts: CommandFunctions<'drafts'> = {
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

const tools: CommandFunctions<'tools'> = {
  rewrite: ({ tools }, request, { signal }) => tools.prompts.rewrite(request, signal),
  shots: ({ tools }, request, { signal }) => tools.prompts.shots(request, signal),
  search: ({ tools }, request, { signal }) => tools.research.search(request, signal),
  readPage: ({ tools }, request, { signal }) => tools.research.readPage(request, signal),
  describe: ({ tools }, request, { signal }) => tools.describe(request, signal),
  index: ({ tools }, request, { signal }) => tools.meaning.index(request, signal),
  nearest: ({ tools }, request, { signal }) => tools.meaning.search(request, signal),
  used: ({ tools }, { callId }) => tools.runner.markUsed(callId),
  dismiss: ({ tools }, { callId }) => tools.runner.dismiss(callId),
};

export const functions: { readonly [Noun in keyof typeof commands]: CommandFunctions<Noun> } = {
  agents,
  batches,
  clippings,
  cuts,
  drafts,
  projects,
  promptLibrary,
  savedViews,
  jobs,
  queue,
  spending,
  windows,
  takes,
  library,
  nights,
  tools,
};
