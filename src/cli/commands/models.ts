import { createServiceClient, timeoutsOf } from '../../engine/api/client.ts';
import { proxiesOf } from '../../engine/api/proxies.ts';
import { guessedKind, kindOfModel, lineOf } from '../../engine/models/index.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { counted, plainText, tableLines } from '../output/text.ts';
import { serviceAccess } from '../service-access.ts';
import { sayTo, type Session } from '../session.ts';
import { loggerOf } from '../with-engine.ts';

/** Lists the models of the account with what the reference says of each. Costs nothing; needs no engine. */
export async function models(session: Session): Promise<ExitStatus> {
  const { settings, apiKey } = await serviceAccess(session);
  const client = createServiceClient({
    baseUrl: settings.baseUrl,
    apiKey: () => apiKey,
    clock: session.shell.clock,
    logger: loggerOf(session, apiKey),
    timeouts: timeoutsOf(settings),
    proxyFor: proxiesOf(session.shell.env),
  });
  const say = sayTo(session);
  try {
    const ids = (await client.models.list({ signal: session.interrupted })).map(({ id }) => id);
    const rows = ids.map((id) => [plainText(id), kindWords(id), limitWords(id)]);
    for (const line of tableLines([{ title: 'model' }, { title: 'kind' }, { title: 'known limits' }], rows)) say(line);
    say(`${counted(ids.length, 'model')} at ${client.origin}.`);
  } finally {
    await client.close();
  }
  return exitStatus.saved;
}

function kindWords(id: string): string {
  const guess = guessedKind(id);
  return kindOfModel(id) ?? (guess === null ? '' : `${guess}, by its name`);
}

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
