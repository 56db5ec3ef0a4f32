import type { Changes } from '../../src/contract/events.ts';

/** A message in which nothing has changed, for tests to change something about. */
export const quietChanges: Changes = {
  resync: false,
  jobs: [],
  verdicts: [],
  queue: null,
  projects: [],
  batches: [],
  drafts: [],
  library: false,
  settings: false,
};
