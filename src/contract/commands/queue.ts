import * as z from 'zod';
import { command } from './command.ts';

const input = z.object({}).default({});

/** Neither is undone: each takes back the other, and no undo lets a whole queue go. */
export const queueCommands = {
  pause: command({ input, touches: 'nothing', log: 'queue.paused', label: 'queue.pause' }),
  resume: command({ input, touches: 'nothing', log: 'queue.resumed', label: 'queue.resume', spends: 'queued' }),
};
