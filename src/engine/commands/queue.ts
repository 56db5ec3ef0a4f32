import type { CommandFunctions } from './command-function.ts';

export const queue: CommandFunctions<'queue'> = {
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

export const nights: CommandFunctions<'nights'> = {
  seen: ({ nightReports }, { projectId, night }) => nightReports.seen(projectId, night),
};
