import type { Capabilities } from '../../contract/model.ts';
import { guessedKind, kindOfModel, lineOf } from '../../engine/models/index.ts';
import { listModels } from '../account-models.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { counted, plainText, tableLines } from '../output/text.ts';
import { serviceAccess } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';

const columns = ['model', 'kind', 'known limits', 'listed'].map((title) => ({ title }));

/** Lists the models of the account with what the reference says of each. Costs nothing; needs no engine. */
export async function models(session: Session): Promise<ExitStatus> {
  const options = { signal: session.interrupted };
  const { models: all, origin } = await listModels(session, await serviceAccess(session), options);
  const print = printTo(session);
  const rows = all.map(({ id, listed = {} }) => [plainText(id), kindWords(id), limitWords(id), listedWords(listed)]);
  for (const line of tableLines(columns, rows)) print(line);
  print(`${counted(all.length, 'model')} at ${origin}.`);
  return exitStatus.saved;
}

function kindWords(id: string): string {
  const guess = guessedKind(id);
  return kindOfModel(id) ?? (guess === null ? '' : `${guess}, by its name`);
}

/** What the service itself says of it. */
const listedWords = (listed: Capabilities): string =>
  Object.entries(listed)
    .map(([what, values]) => `${what} ${values.map(plainText).join(' ')}`)
    .join('; ');

function limitWords(id: string): string {
  const line = lineOf(id);
  if (!line) return '';
  const { duration, sizes } = line;
  const span =
    duration && (duration.min === duration.max ? `${duration.min} s only` : `${duration.min} to ${duration.max} s`);
  return [
    `${line.name} line`,
    ...(span === undefined ? [] : [duration?.integersOnly ? `${span}, whole seconds` : span]),
    ...(sizes ? [sizes.join(' ')] : []),
    ...(line.preparedVideosOnly ? ['video references as assets'] : []),
  ].join('; ');
}
