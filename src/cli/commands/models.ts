import { say } from '../../contract/messages/words.ts';
import type { Capabilities } from '../../contract/model.ts';
import { guessedKind, kindOfModel, lineOf } from '../../engine/models/index.ts';
import { listModels } from '../account-models.ts';
import { type ExitStatus } from '../exit.ts';
import { columnsOf, printLine } from '../output/list.ts';
import { plainText, tableLines } from '../output/text.ts';
import { serviceAccess } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
import { verb } from '../verb.ts';

export const verbs = [verb('models', 'cli.helpModels', [], models, { endsAtOnce: true })];

/** Lists the models of the account with what the reference says about each. Costs nothing; needs no engine. */
async function models(session: Session): Promise<ExitStatus> {
  const options = { signal: session.interrupted };
  const { models: all, origin } = await listModels(session, await serviceAccess(session), options);
  const print = printTo(session);
  const rows = all.map(({ id, listed = {} }) => [plainText(id), kindWords(id), limitWords(id), listedWords(listed)]);
  for (const line of tableLines(columnsOf('cli.model', 'cli.kind', 'cli.knownLimits', 'cli.listed'), rows)) print(line);
  return printLine(session, say('cli.models', { count: all.length, origin }));
}

function kindWords(id: string): string {
  const guess = guessedKind(id);
  return kindOfModel(id) ?? (guess === null ? '' : say('cli.guessedKind', { kind: guess }));
}

const listedWords = (listed: Capabilities): string =>
  Object.entries(listed)
    .map(([what, values]) => `${what} ${values.map(plainText).join(' ')}`)
    .join('; ');

function limitWords(id: string): string {
  const line = lineOf(id);
  if (!line) return '';
  const { duration, sizes } = line;
  const { min, max, integersOnly = false } = duration ?? { min: 0, max: 0 };
  const span = min === max ? say('cli.onlySeconds', { min }) : say('cli.fromToSeconds', { min, max });
  return [
    say('cli.modelLine', { name: line.name }),
    ...(duration ? [span] : []),
    ...(integersOnly ? [say('cli.wholeSeconds')] : []),
    ...(sizes ? [sizes.join(' ')] : []),
    ...(line.preparedVideosOnly ? [say('cli.videosAsAssets')] : []),
  ].join('; ');
}
