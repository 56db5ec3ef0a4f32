import { say } from '../contract/messages/words.ts';
import type { PaidAgain } from './output/reporter.ts';
import { resolve } from 'node:path';
import type { MadeAlready } from '../contract/batch.ts';
import { madeAlready, movedShots, type MovedShots } from '../engine/batches/made-already.ts';
import { UsageError } from './exit.ts';
import { knownProject, viewDataFolderAsync } from './read-only-view.ts';
import { plainText } from './output/text.ts';
import type { ReadList, RunOptions } from './read-list.ts';
import { settingsOf } from './service-access.ts';
import type { Session } from './session.ts';
import { canAsk } from './shell.ts';

type Named = Pick<RunOptions, 'project' | 'batch' | 'again'>;

/** Null where nothing is paid for again, or where `--batch` names a new batch or `--again` asks for all of it. */
export function whatIsPaidAgain(session: Session, options: Named, list: ReadList): Promise<PaidAgain | null> {
  const { shots } = list.checked;
  return viewDataFolderAsync(session.dataFolder, async (view) => {
    const project = view && knownProject(view.projects, resolve(session.shell.cwd, options.project));
    if (!view || !project) return null;
    const name = options.batch ?? list.batchName;
    const place = { projectId: project.id, name, shots };
    if (view.batches.named(project.id, name)) {
      const moved = options.again ? null : await movedShots(view.batches, place);
      return moved && { type: 'moved', ...moved };
    }
    if (options.batch !== undefined) return null;
    const made = await madeAlready(view.batches, { ...place, ownName: name, settings: settingsOf(session) });
    return made && { type: 'made_already', ...made };
  });
}

/** A row or two may be renamed on purpose; this many, or half of a list, are one inserted row or one changed formula. */
const MANY = 10;

/**
 * Has a person agree to pay for the same once more. Throws UsageError, before anything is stored, unless they do; `--batch`
 * is their agreement.
 */
export async function agreeToPayAgain({ shell }: Session, { batch }: Named, paid: PaidAgain | null): Promise<void> {
  if (paid === null || batch !== undefined) return;
  if (paid.type === 'moved' && paid.shots < Math.min(MANY, paid.ofShots / 2)) return;
  const { problem, question, remedy } = paid.type === 'moved' ? wordsOfMoved(paid) : wordsOfMade(paid);
  if (!canAsk(shell)) throw new UsageError(problem, remedy);
  const questions = await shell.questions();
  if (!(await questions.confirm(question))) throw new UsageError(say('cli.nothingStored'), remedy);
}

const named = (batch: string): string => `--batch ${JSON.stringify(plainText(batch))}`;

const wordsOfMade = ({ there, elsewhere }: MadeAlready) => ({
  problem: say('cli.madeProblem'),
  question: say('cli.madeQuestion', { count: elsewhere.newTakes, batch: plainText(elsewhere.name) }),
  remedy: say('cli.madeRemedy', { there: named(there.name), elsewhere: named(elsewhere.name) }),
});

const wordsOfMoved = ({ batch, newTakes }: MovedShots) => ({
  problem: say('cli.movedProblem'),
  question: say('cli.movedQuestion', { count: newTakes }),
  remedy: say('cli.movedRemedy', { batch: named(batch) }),
});
