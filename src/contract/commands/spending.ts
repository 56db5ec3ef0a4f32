import * as z from 'zod';
import { CapChange, CapScope } from '../ledger.ts';
import { NightWindow, WindowScope } from '../night-window.ts';
import { command } from './command.ts';

export const spendingCommands = {
  /** Refused for one in money while requests or unsent takes of its scope have no price. */
  changeCap: command({
    input: z.object({ scope: CapScope, change: CapChange }),
    touches: 'scope',
    commits: 'own',
    log: ['cap.changed', 'cap.removed'],
    label: 'command.changeCap',
    cli: 'cap',
    spends: 'queued',
  }),
};

export const windowCommands = {
  /** Null takes it away. */
  change: command({
    input: z.object({ scope: WindowScope, window: NightWindow.nullable() }),
    touches: 'scope',
    commits: 'own',
    log: ['window.changed', 'window.removed'],
    label: 'command.changeWindow',
    cli: 'window',
    spends: 'queued',
  }),
  /** Sends takes now that a closed window holds, until it next closes. */
  startNow: command({
    input: z.object({ scope: WindowScope }),
    touches: 'scope',
    log: 'window.opened',
    label: 'gate.startNow',
    cli: 'window --start-now',
    spends: 'queued',
  }),
};
