import { resolve } from 'node:path';
import { movedShots, type MovedShots } from '../engine/batches/moved-shots.ts';
import type { RunOptions } from './commands/run.ts';
import { UsageError } from './exit.ts';
import { knownProject, lookLongerAt } from './looking.ts';
import { counted, plainText } from './output/text.ts';
import type { ReadList } from './read-list.ts';
import type { Session } from './session.ts';
import { canAsk } from './shell.ts';

type Named = Pick<RunOptions, 'project' | 'batch' | 'again'>;

/** Rows that ask for what their batch has made under other keys. Null where all is to be made again anyway. */
export function movedRows(session: Session, options: Named, list: ReadList): Promise<MovedShots | null> {
  if (options.again) return Promise.resolve(null);
  return lookLongerAt(session.dataFolder, async (view) => {
    const project = view && knownProject(view.projects, resolve(session.shell.cwd, options.project));
    if (!view || !project) return null;
    const name = options.batch ?? list.batchName;
    return movedShots(view.batches, { projectId: project.id, name, shots: list.checked.shots });
  });
}

/** A row or two may be renamed on purpose; this many, or half of a list, are one inserted row or one changed formula. */
const MANY = 10;

const areMany = ({ shots, ofShots }: MovedShots) => shots >= Math.min(MANY, ofShots / 2);

/**
 * Has a person agree to pay again for many rows that only have other keys now. Throws UsageError, before anything is stored,
 * unless they do; whoever names the batch has agreed.
 */
export async function agreeToMakeMoved({ shell }: Session, { batch }: Named, moved: MovedShots | null): Promise<void> {
  if (moved === null || batch !== undefined || !areMany(moved)) return;
  const remedy =
    'Nothing was sent. Give these rows the keys they had, in the column shot (rows without one are numbered by their place); ' +
    `or say --batch ${JSON.stringify(plainText(moved.batch))} to make them anew.`;
  if (!canAsk(shell)) throw new UsageError('Rows that were only renamed or moved would be paid for once more.', remedy);
  const questions = await shell.questions();
  const question = `Make ${counted(moved.newTakes, 'new take')} of rows that were only renamed or moved?`;
  if (!(await questions.confirm(question))) throw new UsageError('Nothing was stored.', remedy);
}
