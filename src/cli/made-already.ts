import { resolve } from 'node:path';
import type { MadeAlready } from '../contract/batch.ts';
import { madeAlready } from '../engine/batches/made-already.ts';
import type { RunOptions } from './commands/run.ts';
import { UsageError } from './exit.ts';
import { knownProject, lookLongerAt } from './looking.ts';
import { counted, plainText } from './output/text.ts';
import type { ReadList } from './read-list.ts';
import { settingsOf } from './service-access.ts';
import type { Session } from './session.ts';
import { canAsk } from './shell.ts';

/** Another batch in which most of a list was made already. Null where the person has named a batch, or this one exists. */
export function madeElsewhere(
  session: Session,
  { project: folder, batch }: Pick<RunOptions, 'project' | 'batch'>,
  { checked: { shots }, batchName: name }: ReadList,
): Promise<MadeAlready | null> {
  if (batch !== undefined) return Promise.resolve(null);
  return lookLongerAt(session.dataFolder, async (view) => {
    const project = view && knownProject(view.projects, resolve(session.shell.cwd, folder));
    // Whoever runs a batch again has decided that before.
    if (!view || !project || view.batches.named(project.id, name)) return null;
    const settings = settingsOf(session);
    return madeAlready(view.batches, { projectId: project.id, settings, shots, name, ownName: name });
  });
}

/** Has a person agree to pay for the same once more. Throws UsageError, before anything is stored, unless they do. */
export async function agreeToPayAgain({ shell }: Session, made: MadeAlready | null): Promise<void> {
  if (made === null) return;
  const remedy = `Nothing was sent. Say where it is to go: ${waysOut(made)}.`;
  if (!canAsk(shell)) throw new UsageError('As a new batch, most of this list would be paid for once more.', remedy);
  const questions = await shell.questions();
  const { name, newTakes } = made.elsewhere;
  const question = `Make ${counted(newTakes, 'new take')} in the new batch ${plainText(name)} all the same?`;
  if (!(await questions.confirm(question))) throw new UsageError('No batch was made.', remedy);
}

const waysOut = ({ there, elsewhere }: MadeAlready): string =>
  [there, elsewhere].map(({ name }) => `--batch ${JSON.stringify(plainText(name))}`).join(' or ');
