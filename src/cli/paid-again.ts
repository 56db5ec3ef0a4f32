import { say } from '../contract/messages/words.ts';
import type { PaidAgain } from '../contract/batch.ts';
import { paidAgain } from '../engine/batches/paid-again.ts';
import type { ProjectView } from './look.ts';
import { plainText } from './output/text.ts';
import type { ReadList, RunOptions } from './read-list.ts';
import { settingsOf } from './service-access.ts';
import type { Session } from './session.ts';
import { agree } from './shell.ts';

type Named = Pick<RunOptions, 'batch' | 'again'>;

/** Null where nothing is paid for again; another batch is named only to a person who has to choose between the two. */
export async function whatIsPaidAgain(
  session: Session,
  options: Named,
  { list, seen }: { readonly list: ReadList; readonly seen: ProjectView },
): Promise<PaidAgain | null> {
  const { view, project } = seen;
  if (!project) return null;
  const ownName = list.batchName;
  const { batch: name = ownName, again = false } = options;
  const place = { projectId: project.id, name, ownName, again };
  const { shots } = list.checked;
  const paid = await paidAgain(view.batches, { ...place, shots, settings: settingsOf(session) });
  const isChosen = options.batch !== undefined || !paid?.needsAgreement;
  return paid?.reason === 'other_batch' && isChosen ? null : paid;
}

/**
 * Asks the person to agree to pay again for the same shots. Throws UsageError, before anything is stored, if the person
 * does not agree; `--batch` counts as agreement.
 */
export async function agreeToPayAgain(
  { shell }: Session,
  { batch }: Named,
  { paid, ownName }: { readonly paid: PaidAgain | null; readonly ownName: string },
): Promise<void> {
  if (!paid?.needsAgreement || batch !== undefined) return;
  const remedy = remedyOf(paid, ownName);
  await agree(shell, {
    question: say('queue.makeAgainQuestion', { count: paid.takes }),
    refusal: [say('start.paidAgain', { count: paid.takes }), remedy],
    declined: [say('cli.nothingStored'), remedy],
  });
}

const named = (batch: string): string => `--batch ${JSON.stringify(plainText(batch))}`;

const remedyOf = (paid: PaidAgain, ownName: string): string =>
  paid.reason === 'other_batch'
    ? say('cli.otherBatchRemedy', { there: named(paid.there.name), elsewhere: named(paid.elsewhere.name) })
    : say('cli.movedRemedy', { batch: named(ownName) });
