import type { Cap } from '../../contract/ledger.ts';
import { capLine, scopeFacts, limitsIn } from '../projects/limits.ts';
import { step, type CommandFunctions } from './command-function.ts';
import { mayNotSpend } from '../base/errors.ts';

const NO_CAP: Cap = { money: null, takes: null };

export const spending: CommandFunctions<'spending'> = {
  changeCap({ batches, changed, ledger, limitFiles, scheduler, settings, spending: service }, { scope, change }, own) {
    const capNow = (): Cap => service.capOf(scope)?.cap ?? NO_CAP;
    return limitFiles.decide(scope, () => {
      service.requirePrices(scope, change);
      const undo = step('spending.changeCap', { scope, change: capNow() });
      own.requireUnchanged(undo);
      batches.inOneCommit(() => {
        service.setCap(scope, change);
        own.note(capLine(scopeFacts({ batches, ledger }, scope), capNow(), settings.currency));
      });
      scheduler.capsChanged();
      changed('settings', null);
      return { undo, done: { scope, change: capNow() } };
    });
  },
};

export const windows: CommandFunctions<'windows'> = {
  change({ batches, ledger, limitFiles, nightWindows, windows: store }, { scope, window }, own) {
    return limitFiles.decide(scope, () => {
      const undo = step('windows.change', { scope, window: store.of(scope) });
      own.requireUnchanged(undo);
      batches.inOneCommit(() => {
        nightWindows.set(scope, window);
        own.note({ code: window ? 'window.changed' : 'window.removed', facts: scopeFacts({ batches, ledger }, scope) });
      });
      nightWindows.reread();
      return { undo };
    });
  },

  startNow({ batches, ledger, nightWindows, windows: store }, { scope }) {
    const opening = nightWindows.nextOpening(scope);
    if (opening === null) return null;
    store.startEarly(scope, opening);
    return { facts: scopeFacts({ batches, ledger }, scope), undo: null, after: () => nightWindows.reread() };
  },
};

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
