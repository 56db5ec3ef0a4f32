import { resolve } from 'node:path';
import { Agent, buildConnector, fetch, type Response } from 'undici';
import type { AccountSummary } from '../../contract/accounts.ts';
import { t, sayText } from '../../contract/messages/words.ts';
import type { Capabilities } from '../../contract/kinds/kind.ts';
import { parseServiceAddress, type ServiceAddress } from '../../engine/api/address.ts';
import { ProxyError } from '../../engine/api/errors.ts';
import { toProxies, connectorThrough } from '../../engine/api/proxies.ts';
import { MODELS } from '../../engine/api/resources/models.ts';
import { DailiesError, toMessage, systemCode } from '../../engine/base/errors.ts';
import type { Route } from '../../engine/base/ports.ts';
import { reachOfHost, resolveByDns } from '../../engine/downloads/exchange.ts';
import { findFfmpeg } from '../../engine/files/existing-paths.ts';
import { guessedKind, kindOfModel, lineFor } from '../../engine/models/index.ts';
import { checkDataFolder, checkProjectFolder, fail, type Finding, ok, warn } from '../../host/diagnostics.ts';
import type { FoundKey } from '../../host/key.ts';
import { type ExitStatus, exitStatus } from '../exit.ts';
import { engineAtWork } from '../look.ts';
import { toColumns, printList } from '../output/list.ts';
import { plainText, styleFor } from '../output/text.ts';
import { engineLine } from '../output/words.ts';
import {
  accountAccess,
  accountNeeded,
  keyFor,
  listModels,
  settingsForAccount,
  settingsWithAddress,
} from '../service-access.ts';
import type { Session } from '../session.ts';
import { verb, word, type Given } from '../verb.ts';

const AT_ONCE = { endsAtOnce: true };
const DOCTOR = [word('--project <dir>', 'cli.optProjectFolder')] as const;

export const verbs = [
  verb('models', 'cli.helpModels', [], models, AT_ONCE),
  verb('doctor', 'cli.helpDoctor', DOCTOR, doctor, AT_ONCE),
];

/** Lists the models of the account with what the reference says about each. Costs nothing; needs no engine. */
async function models(session: Session): Promise<void> {
  const options = { signal: session.interrupted };
  const { models: rows, origin } = await listModels(
    session,
    await accountAccess(session, accountNeeded(session)),
    options,
  );
  printList(session, {
    type: 'model',
    rows,
    columns: toColumns('common.model', 'common.kind', 'cli.knownLimits', 'cli.listed'),
    cells: ({ id, listed = {} }) => [plainText(id), kindWords(id), limitWords(id), listedWords(listed)],
    below: [t('cli.models', { count: rows.length, origin })],
  });
}

function kindWords(id: string): string {
  const guess = guessedKind(id);
  return kindOfModel(id) ?? (guess === null ? '' : t('cli.guessedKind', { kind: guess }));
}

const listedWords = (listed: Capabilities): string =>
  Object.entries(listed)
    .map(([what, values]) => `${what} ${values.map(plainText).join(' ')}`)
    .join('; ');

function limitWords(id: string): string {
  const line = lineFor(id);
  if (!line) return '';
  const { duration, sizes } = line;
  const { min, max, integersOnly = false } = duration ?? { min: 0, max: 0 };
  const span = t('cli.fromToSeconds', { is: min === max ? 'one' : 'several', min, max });
  return [
    t('cli.modelLine', { name: line.name }),
    ...(duration ? [span] : []),
    ...(integersOnly ? [t('cli.wholeSeconds')] : []),
    ...(sizes ? [sizes.join(' ')] : []),
    ...(line.preparedVideosOnly ? [t('cli.videosAsAssets')] : []),
  ].join('; ');
}

/** Checks everything a run depends on, and says what to do about what is wrong. Makes no billable request. */
async function doctor(session: Session, { project }: Given<typeof DOCTOR>): Promise<ExitStatus> {
  const { shell, interrupted } = session;
  const findings: Finding[] = [];
  const checks = [
    () => checkService(session, project === undefined ? null : resolve(shell.cwd, project)),
    () => checkDataFolder(session.dataFolder),
    () => [ok('engine', engineLine(engineAtWork(session.dataFolder)))],
    () => [ffmpegFinding(shell.env)],
    ...(project === undefined ? [] : [() => checkProjectFolder(resolve(shell.cwd, project))]),
  ];
  for (const check of checks) {
    if (interrupted.aborted) break;
    for (const finding of await check()) {
      findings.push(finding);
      tell(session, finding);
    }
  }
  const failed = findings.some(({ level }) => level === 'fail');
  session.print(t(failed ? 'cli.notReady' : 'cli.readyToRun'));
  return failed ? exitStatus.failed : exitStatus.saved;
}

function tell(session: Session, { level, name, message, remedy }: Finding): void {
  const style = styleFor(session.shell.stdout, session.shell.env);
  const mark = { ok: style.good('ok  '), warn: style.warn('warn'), fail: style.bad('fail') }[level];
  const { print } = session;
  print(`${mark}  ${name.padEnd(9)} ${plainText(message)}`);
  if (remedy) print(`      ${''.padEnd(9)} ${plainText(remedy)}`);
}

/** Clocks further apart than this make signed result addresses expire early or late, ms. */
const SKEW_MS = 5 * 60_000;
const ANSWER_MS = 15_000;

/** Checks address, key and clock with one free request, `GET /v1/models`. */
async function checkService(session: Session, project: string | null): Promise<Finding[]> {
  const account = (): AccountSummary => accountNeeded(session, project);
  const address = await attempt('address', () => parseServiceAddress(settingsWithAddress(session, account()).baseUrl));
  const key = await attempt('key', () => keyFor(session, account(), settingsForAccount(session, account()).baseUrl));
  const findings = [address, key].filter((each) => 'level' in each);
  if ('level' in address) return findings;
  // The one route that the environment names; this command cannot ask the system.
  const routes = await attempt('address', () => toProxies(session.shell.env)(new URL(address.base)));
  if ('level' in routes) return [routes, ...findings];
  const way = routes[0] === null ? t('cli.requestsDirect') : t('cli.requestsByProxy', { proxy: routes[0].host });
  const proxy = ok('proxy', way);
  const answer = await ask(address, 'key' in key ? key.key : null, { routes, signal: session.interrupted });
  if ('level' in answer) return [answer, proxy, ...findings];
  return [
    reached(address, answer),
    proxy,
    ...(routes[0] === null ? [] : await resultsFindings(address)),
    ...('level' in key ? [key] : [keyFinding(key, answer.status)]),
    clockFinding(answer.headers.get('date'), session.shell.clock.now()),
  ];
}

async function attempt<Found>(name: string, find: () => Found | Promise<Found>): Promise<Found | Finding> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof DailiesError)) throw error;
    return fail(name, sayText(error.text), sayText(error.remedy));
  }
}

async function ask(
  { base }: ServiceAddress,
  key: string | null,
  { routes, signal }: { readonly routes: readonly Route[]; readonly signal: AbortSignal },
): Promise<Response | Finding> {
  // By the same route that takes are sent.
  const way = connectorThrough(() => routes, buildConnector({ timeout: ANSWER_MS }), ANSWER_MS);
  const dispatcher = new Agent({ connect: way });
  try {
    const answer = await fetch(`${base}${MODELS}`, {
      dispatcher,
      redirect: 'manual',
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    // Its text does not matter, but unread it would keep the connection open.
    await answer.body?.cancel();
    return answer;
  } catch (error) {
    if (error instanceof Error && error.cause instanceof ProxyError) {
      return fail('address', sayText(error.cause.text), '');
    }
    const code =
      systemCode(error) ??
      (error instanceof Error && error.name === 'TimeoutError' ? t('cli.noAnswer') : toMessage(error));
    return fail('address', t('cli.unreachable', { address: base, reason: code }), remedyFor(code));
  } finally {
    await dispatcher.close();
  }
}

const remedyFor = (code: string): string =>
  t(/CERT|SSL|TLS|SIGNATURE|ALTNAME/.test(code) ? 'cli.checkCertificate' : 'cli.checkNetwork');

function reached({ base: address, exposed }: ServiceAddress, { status: code }: Response): Finding {
  const status = String(code);
  if (exposed) return warn('address', t('cli.answers', { address }), t('settings.notEncrypted'));
  if (code >= 500) return warn('address', t('cli.answersStatus', { address, status }), t('cli.serviceTrouble'));
  if (code < 300 || code >= 400) return ok('address', t('cli.answers', { address }));
  return fail('address', t('cli.answersStatus', { address, status }), t('cli.setRedirect'));
}

/** The proxy resolves the service, but this machine resolves every result: if it cannot, no result is fetched. */
async function resultsFindings({ base }: ServiceAddress): Promise<Finding[]> {
  const url = new URL(base);
  try {
    await reachOfHost(url.hostname, resolveByDns);
    return [];
  } catch (error) {
    const code = systemCode(error) ?? toMessage(error);
    return [
      warn('results', t('cli.proxyWithoutNames', { host: url.hostname, code }), t('cli.proxyWithoutNamesRemedy')),
    ];
  }
}

function keyFinding({ from }: FoundKey, status: number): Finding {
  if (status === 401) return fail('key', t('cli.keyAnswer', { is: 'bad', place: from }), t('cli.remedySetRightKey'));
  if (status === 403) return fail('key', t('cli.keyAnswer', { is: 'other', place: from }), t('cli.askForAccess'));
  if (status >= 200 && status < 300) return ok('key', t('cli.keyAnswer', { is: 'good', place: from }));
  return warn('key', t('cli.keyUntested', { place: from, status: String(status) }), t('remedy.checkAddress'));
}

function ffmpegFinding(env: Session['shell']['env']): Finding {
  const path = findFfmpeg(env);
  return path === null
    ? warn('ffmpeg', t('cli.ffmpegMissing'), t('cli.ffmpegRemedy'))
    : ok('ffmpeg', t('cli.ffmpegFound', { path }));
}

function clockFinding(header: string | null, now: number): Finding {
  const theirs = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(theirs)) return ok('clock', t('cli.clockUnknown'));
  const skew = now - theirs;
  if (Math.abs(skew) <= SKEW_MS) return ok('clock', t('cli.clockAgrees'));
  const minutes = Math.round(Math.abs(skew) / 60_000);
  return warn('clock', t('cli.clockOff', { minutes, side: skew > 0 ? 'ahead' : 'behind' }), t('cli.setClock'));
}
