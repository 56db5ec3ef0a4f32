import { say } from '../contract/messages/words.ts';
import type { Session } from './session.ts';

/** Keeps the computer awake for an engine of this process. A person at the terminal is told once when that fails. */
export function stayAwake({ shell }: Session): ReturnType<Session['shell']['awakeHelper']> {
  let isTold = false;
  return shell.awakeHelper(() => {
    if (isTold || shell.stderr.isTTY !== true) return;
    isTold = true;
    shell.stderr.write(`${say('cli.mayFallAsleep')}\n`);
  });
}
