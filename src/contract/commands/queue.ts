import * as z from 'zod';
import { command, Id } from './command.ts';
import { Cap, CapChange, CapScope } from '../ledger.ts';
import { NightWindow, WindowScope } from '../night-window.ts';

const input = z.object({}).default({});

/** Neither is undone: each takes back the other, and no undo lets a whole queue go. */
export const queueCommands = {
  pause: command({ input, touches: 'nothing', log: 'queue.paused', label: 'queue.pause' }),
  resume: command({ input, touches: 'nothing', log: 'queue.resumed', label: 'queue.resume', spends: 'queued' }),
};

export const nightCommands = {
  seen: command({
    input: z.object({ projectId: Id, night: z.number() }),
    output: z.void(),
    bare: true,
    touches: 'nothing',
    refusesItself: 'a report that was looked at is not shown again, wherever its project is',
    log: null,
    silent: 'nothing of the project changes',
    label: 'command.seeReport',
  }),
};

/** Agents work through `dailies mcp`: see docs/guide/mcp.md. */
export const agentCommands = {
  /** A person lets a session spend so much, takes and calls of tools together. An agent may not let itself. */
  allow: command({
    input: z.object({ session: Id, cap: Cap.refine(({ money, takes }) => money !== null || takes !== null) }),
    touches: 'nothing',
    commits: 'own',
    log: 'history.agentAllowed',
    label: 'command.allowAgent',
    ownEntry: true,
  }),
};

const ofScope = { touches: 'scope', spends: 'queued' } as const;

export const spendingCommands = {
  /** Refused for one in money while requests or unsent takes of its scope have no price. */
  changeCap: command({
    input: z.object({ scope: CapScope, change: CapChange }),
    ...ofScope,
    commits: 'own',
    log: ['cap.changed', 'cap.removed'],
    label: 'command.changeCap',
    cli: 'cap',
  }),
};

/** When takes of a project or a batch may be sent. */
export const windowCommands = {
  /** Null takes it away. */
  change: command({
    input: z.object({ scope: WindowScope, window: NightWindow.nullable() }),
    ...ofScope,
    commits: 'own',
    log: ['window.changed', 'window.removed'],
    label: 'command.changeWindow',
    cli: 'window',
  }),
  /** Sends takes now that a closed window holds, until it next closes. */
  startNow: command({
    input: z.object({ scope: WindowScope }),
    ...ofScope,
    log: 'window.opened',
    label: 'command.startNow',
    cli: 'window --start-now',
  }),
};
