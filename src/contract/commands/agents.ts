import * as z from 'zod';
import { Cap } from '../ledger.ts';
import { command, Id } from './command.ts';

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
