import { mayNotSpend } from '../base/errors.ts';
import { limitsIn } from '../projects/limits.ts';
import type { CommandFunctions } from './command-function.ts';

export const agents: CommandFunctions<'agents'> = {
  allow({ agents: store, batches, ports, settings }, { session, cap }, { by, note }) {
    if (by === 'agent') throw mayNotSpend();
    const isNew = batches.inOneCommit(() => {
      const isAllowed = store.allow(session, cap, ports.clock.now());
      if (isAllowed) note({ facts: limitsIn(cap, settings.currency) });
      return isAllowed;
    });
    return Promise.resolve(isNew ? { undo: null } : null);
  },
};
