import type { commands } from '../../contract/commands/index.ts';
import { agents } from './agents.ts';
import { batches } from './batches.ts';
import { clippings } from './clippings.ts';
import { drafts } from './drafts.ts';
import type { CommandFunctions } from './command-function.ts';
import { projects } from './projects.ts';
import { promptLibrary } from './prompt-library.ts';
import { savedViews } from './saved-views.ts';
import { jobs } from './jobs.ts';
import { queue } from './queue.ts';
import { spending, windows } from './spending.ts';
import { takes } from './takes.ts';
import { library } from './library.ts';
import { nights } from './nights.ts';
import { tools } from './tools.ts';

export const functions: { readonly [Noun in keyof typeof commands]: CommandFunctions<Noun> } = {
  agents,
  batches,
  clippings,
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
