import { say } from '../contract/messages/words.ts';
import type { Failure } from '../contract/failure.ts';
import { exitStatus, type ExitStatus } from './exit.ts';
import { plainText } from './output/text.ts';
import { failureLine } from './output/words.ts';
import type { Session } from './session.ts';

/** Reports why a tool failed, and returns the exit status that fits its cost. */
export function toolFailed({ shell }: Session, failure: Failure, more = ''): ExitStatus {
  const { remedy, cost } = failure;
  const again = cost === 'maybe' ? ` ${say('cli.toolAgain')}` : '';
  shell.stderr.write(`${failureLine(failure)}\n${plainText(remedy)}${again}${more}\n`);
  return cost === 'maybe' ? exitStatus.undecided : exitStatus.failed;
}
