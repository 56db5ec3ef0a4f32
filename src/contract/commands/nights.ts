import * as z from 'zod';
import { command, Id } from './command.ts';

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
