import { counted } from './text.ts';

/** The answer to the first Ctrl-C: what is waited for, and what a second one does. */
export function stoppingLine(submits: number): string {
  if (submits === 0) return 'Stopping. Nothing is being sent; the rest goes on at the next start.';
  return (
    `Stopping. Waiting for the answer to ${counted(submits, 'request')} under way: ${submits === 1 ? 'it is' : 'they are'} paid for. ` +
    'Press Ctrl-C again to stop at once: each then needs a decision, since it may have been charged.'
  );
}
