import * as z from 'zod';
import { command, Id } from './command.ts';

export const nightCommands = {
  seen: command({
    input: z.object({ projectId: Id, night: z.number() }),
    output: z.void(),
    bare: true,
    touches: 'nothing',
    refusesItself: true,
    label: 'command.seeReport',
  }),
};
