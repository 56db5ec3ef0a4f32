import { say } from '../contract/messages/words.ts';
import type { Failure } from '../contract/failure.ts';
import { exitStatus, type ExitStatus } from './exit.ts';
import { plainText } from './output/text.ts';
import type { Session } from './session.ts';

/** Says why a tool brought nothing, and ends the command by what it cost. */
export function toolFailed({ shell }: Session, { message, remedy, cost }: Failure, more = ''): ExitStatus {
  const again = cost === 'maybe' ? ` ${say('cli.toolAgain')}` : '';
  shell.stderr.write(`${plainText(message)}\n${plainText(remedy)}${again}${more}\n`);
  return cost === 'maybe' ? exitStatus.undecided : exitStatus.failed;
}
