import { join, resolve } from 'node:path';
import { textForLog } from '../../contract/messages/message.ts';
import { t } from '../../contract/messages/words.ts';
import { Settings } from '../../contract/settings.ts';
import { Mishaps } from '../../demo/exchange.ts';
import type { DemoService } from '../../demo/service.ts';
import { systemCode } from '../../engine/base/errors.ts';
import { resourcesFolder } from '../../host/package-folder.ts';
import type { CommandEngine } from '../engine.ts';
import { exitStatus, type ExitStatus, refused } from '../exit.ts';
import { engineAtWork, viewDataFolder } from '../look.ts';
import { plainText } from '../output/text.ts';
import { withEngine } from '../own-engine.ts';
import { batchFolder, runBatch, type PreparedRun, type RunNeeds, withReporter } from '../run-batch.ts';
import { readList, type ReadList } from '../read-list.ts';
import { aborted, commandLine, openSession, type Session } from '../session.ts';
import { count, factor, type Given, JSON_LINES, portNumber, verb, word } from '../verb.ts';
import { listOf, prepared, startList } from './run.ts';

const DEMO = [
  word('--out <dir>', 'cli.optDemoOut'),
  word('--shots <n>', 'cli.optDemoShots', { parse: count }),
  word('--all', 'cli.optDemoAll'),
  JSON_LINES,
] as const;
const SERVICE = [
  word('--port <n>', 'cli.optPort', { parse: portNumber }),
  word('--state <dir>', 'cli.optServiceState'),
  word('--speed <factor>', 'cli.optSpeed', { parse: factor }),
  word('--media <style>', 'cli.optMedia', { choices: ['real', 'tiny'], default: 'real' }),
] as const;

export const verbs = [
  verb('demo', 'cli.helpDemo', DEMO, (given, options) => {
    const { all, out: named } = options;
    const out = resolve(given.shell.cwd, named ?? 'dailies-demo');
    const data = given.options.data === undefined ? join(out, '.dailies-demo-data') : given.dataFolder;
    // Printed commands must find the jobs of the demo, which are in its own data folder.
    const session = openSession(given.shell, { data }, given.interrupted, given);
    const goOn = commandLine({}, 'demo', ...(all ? ['--all'] : []), ...(named === undefined ? [] : ['--out', named]));
    return withReporter(session, async (needs) => {
      const holder = engineAtWork(data);
      // Two services would share one state of their tasks.
      if (holder) throw refused('cli.demoRunning', { pid: String(holder.pid) });
      const everyKind = { faster: 4, asyncImages: { without: SYNCHRONOUS_ONLY } };
      const stateDir = join(data, 'service');
      const mishaps = new Mishaps();
      const service = await session.shell.startDemoService({
        ...{ stateDir, interceptor: mishaps },
        ...(all && everyKind),
      });
      try {
        needs.reporter.say(t('cli.demoService'));
        const stage: Demo = { ...needs, session, service, mishaps, out, goOn };
        return await (all ? demoEveryKind(stage) : demoSample(stage, options.shots));
      } finally {
        await service.stop();
      }
    });
  }),
  verb('service', 'cli.helpService', SERVICE, async (session, options) => {
    const { print, interrupted } = session;
    const demo = await startService(session, options);
    print(t('cli.demoServiceAt', { address: demo.url, key: demo.apiKey }));
    print(t('cli.demoServiceUse'));
    print(`  export DAILIES_BASE_URL=${demo.url} DAILIES_API_KEY=${demo.apiKey}`);
    print(`  dailies run LIST --project DIR`);
    await aborted(interrupted);
    const { received, commits } = demo.ledger;
    await demo.stop();
    print(t('cli.demoServiceStopped', { received, commits }));
  }),
];

async function startService({ shell }: Session, options: Given<typeof SERVICE>): Promise<DemoService> {
  const { port, state, speed: faster, media } = options;
  const stateDir = state === undefined ? undefined : resolve(shell.cwd, state);
  try {
    return await shell.startDemoService({ media, port, stateDir, faster, modelList: 'nested' });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EADDRINUSE' || code === 'EACCES') throw refused('failure.portUnusable', { port: String(port), code });
    throw error;
  }
}

interface Demo extends Pick<RunNeeds, 'reporter' | 'seen'> {
  readonly session: Session;
  readonly service: DemoService;
  readonly mishaps: Mishaps;
  /** Project folder, absolute. */
  readonly out: string;
  readonly goOn: string;
}

async function demoSample(demo: Demo, most: number | undefined): Promise<ExitStatus> {
  const { mishaps, reporter, out, goOn, session } = demo;
  const list = await demoList(demo, 'sample-shots.csv');
  const shots = list.checked.shots.slice(0, most);
  const [throttled, broken = throttled] = shots;
  mishaps.throttled.prompt = throttled?.prompt ?? '';
  mishaps.cutOff.prompt = broken?.prompt ?? '';
  const status = await performDemo(demo, { ...list, checked: { ...list.checked, shots } }, 'sample');
  if (status !== exitStatus.saved) return status;
  reporter.say('');
  if (mishaps.throttled.met) reporter.say(t('cli.demoFault', { what: 'other', shot: plainText(throttled?.key ?? '') }));
  if (mishaps.cutOff.met) reporter.say(t('cli.demoFault', { what: 'cutOff', shot: plainText(broken?.key ?? '') }));
  reporter.say(t('cli.demoFolder', { folder: out }));
  reporter.say(t('cli.demoNext'));
  reporter.say(`  ${t('cli.demoNextAgain', { command: goOn })}`);
  reporter.say(`  ${session.line('jobs', 'list')}`);
  reporter.say(`  ${t('cli.demoNextService', { command: 'dailies service' })}`);
  return status;
}

const SETTINGS = Settings.parse({});

async function demoList({ session }: Demo, name: string): Promise<ReadList> {
  const file = join(resourcesFolder(), 'samples', name);
  const list = await readList(session, { list: file }, { settings: SETTINGS });
  const [defect] = list.checked.defects.filter(({ severity }) => severity === 'error');
  if (defect)
    throw new Error(`The list ${name} is broken: row ${defect.row}, ${defect.column}: ${textForLog(defect.problem)}`);
  return list;
}

async function performDemo(demo: Demo, list: ReadList, batch: string): Promise<ExitStatus> {
  const { session, service, reporter, seen } = demo;
  const keys = { accountId: null, key: service.apiKey };
  const access = { settings: { ...SETTINGS, baseUrl: service.url }, keys };
  // Its service and its engine both run in this process.
  const connector: RunNeeds['connector'] = { use: (work) => withEngine(session, access, work) };
  return runBatch(session, { connector, reporter, resumePaused: true, seen }, (engine) =>
    whatToDo(demo, engine, { list, batch }),
  );
}

/** What the last demo left unfinished comes first; only then are new takes made. */
async function whatToDo(
  { session, out, reporter, goOn }: Demo,
  engine: CommandEngine,
  { list, batch: name }: { readonly list: ReadList; readonly batch: string },
): Promise<PreparedRun> {
  const { project } = await engine.api.projects.open({ path: out });
  const { batch, left } = viewDataFolder(session.dataFolder, ({ batches, queries }) => {
    const stored = batches.named(project.id, name);
    return { batch: stored, left: stored ? queries.counts({ batchId: stored.id }).unfinished : 0 };
  });
  if (batch && left > 0 && !engine.recovery.interruptedImports.includes(name)) {
    reporter.say(t('cli.lastDemo', { count: left }));
    const scope = { projectId: project.id, batchId: batch.id };
    const title = t('cli.titleBatch', { batch: name, project: plainText(project.name) });
    const watch = await engine.watch(scope, { resumePaused: true });
    return { scope, title, folders: [batchFolder(project.path, batch)], goOn, watch };
  }
  const again = batch !== null && left === 0;
  const { listFolder, source, checked } = list;
  const started = await startList(engine, { project: out, name, again, listFolder, source, ...listOf(checked) });
  return { ...(await prepared(engine, started, reporter, true)), goOn };
}

/** The demo's account lacks the asynchronous endpoint of these, so that the synchronous ones are used too. */
const SYNCHRONOUS_ONLY = ['image-demo-pro'];

/** Makes a take of every kind, family and operation. */
const demoEveryKind = async (demo: Demo): Promise<ExitStatus> =>
  performDemo(demo, await demoList(demo, 'every-kind.csv'), 'every-kind');
