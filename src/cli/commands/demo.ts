import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Medium } from '../../contract/formats.ts';
import type { JobView } from '../../contract/job.ts';
import { textForLog } from '../../contract/messages/message.ts';
import { t, sayText } from '../../contract/messages/words.ts';
import { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { DemoService, FaultRule } from '../../demo/service.ts';
import { systemCode } from '../../engine/base/errors.ts';
import { readTable } from '../../engine/batches/read-table.ts';
import { inspectFile } from '../../engine/downloads/verify.ts';
import { placeIn } from '../../engine/files/place.ts';
import { openFile } from '../../engine/files/project-files.ts';
import { shotNamed, shotReferences } from '../../engine/kinds/shot-reference.ts';
import { resourcesFolder } from '../../host/package-folder.ts';
import type { CommandEngine } from '../engine.ts';
import { exitStatus, type ExitStatus, refused } from '../exit.ts';
import { engineAtWork, knownProject, viewDataFolder } from '../look.ts';
import { toColumns } from '../output/list.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { takeName } from '../output/words.ts';
import { withEngine } from '../own-engine.ts';
import { batchFolder, runBatch, type PreparedRun, type RunNeeds, withReporter } from '../run-batch.ts';
import { readList, type ReadList } from '../read-list.ts';
import { aborted, commandLine, openSession, type Session } from '../session.ts';
import { count, factor, type Given, JSON_LINES, portNumber, verb, word } from '../verb.ts';
import { listOf, prepared, startList } from './run.ts';

const ANSWER = { method: 'POST', path: /^(?!\/v1\/assets)/ };
const QUERY = { method: 'GET', path: /^(?!\/media\/|\/v1\/assets)/ };
const FILE = { method: 'GET', path: '/media/*' };

/** Faults of the demo service that a take recovers from without another billable request, by their own names. */
const faultWords = {
  // Before `drip`, which strikes all answers: the first rule that strikes a request wins.
  busy: { match: ANSWER, do: { fault: 'rate-limit', seconds: 1 } },
  drip: {
    match: { ...ANSWER, times: 'always' },
    do: { fault: 'drip', bytes: 4096, pauseMs: 20 },
  },
  reset: { match: QUERY, do: { fault: 'reset' } },
  html: { match: QUERY, do: { fault: 'html', status: 502 } },
  cut: { match: FILE, do: { fault: 'cut', afterBytes: 256 } },
} as const satisfies Record<string, FaultRule>;
type FaultWordName = keyof typeof faultWords;
const faultWordNames = Object.keys(faultWords) as FaultWordName[];

const DEMO = [
  word('--out <dir>', 'cli.optDemoOut'),
  word('--shots <n>', 'cli.optDemoShots', { parse: count }),
  word('--all', 'cli.optDemoAll'),
  // With `--all`: the faults of its second run.
  word('--fault <words...>', 'cli.optDemoFault', { choices: faultWordNames }),
  JSON_LINES,
] as const;
const SERVICE = [
  word('--port <n>', 'cli.optPort', { parse: portNumber }),
  word('--state <dir>', 'cli.optServiceState'),
  word('--speed <factor>', 'cli.optSpeed', { parse: factor }),
  word('--media <style>', 'cli.optMedia', { choices: ['real', 'tiny'], default: 'real' }),
  word('--control', 'cli.optControl'),
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
      const service = await session.shell.startDemoService({ stateDir, ...(all && everyKind) });
      try {
        needs.reporter.say(t('cli.demoService'));
        const stage: Demo = { ...needs, session, service, out, goOn };
        return await (all ? demoEveryKind(stage, options.fault) : demoSample(stage, options.shots));
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
    print(t('cli.ctrlCStops'));
    await aborted(interrupted);
    const { received, commits } = demo.ledger;
    await demo.stop();
    print(t('cli.demoServiceStopped', { received, commits }));
  }),
];

async function startService({ shell }: Session, options: Given<typeof SERVICE>): Promise<DemoService> {
  const { port, state, speed: faster, media, control } = options;
  const stateDir = state === undefined ? undefined : resolve(shell.cwd, state);
  try {
    return await shell.startDemoService({
      ...{ media, port, stateDir, control, faster },
      ...{ modelList: 'nested', callbacks: true },
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EADDRINUSE' || code === 'EACCES') throw refused('cli.portUnusable', { port: String(port), code });
    throw error;
  }
}

interface Demo extends Pick<RunNeeds, 'reporter' | 'seen'> {
  readonly session: Session;
  readonly service: DemoService;
  /** Project folder, absolute. */
  readonly out: string;
  readonly goOn: string;
}

async function demoSample(demo: Demo, most: number | undefined): Promise<ExitStatus> {
  const { reporter, out, goOn, session } = demo;
  const { faults } = demo.service;
  const list = await demoList(demo, 'sample-shots.csv');
  const shots = list.checked.shots.slice(0, most);
  const [throttled, broken = throttled] = shots;
  const mishaps: (readonly [rule: number, words: string])[] = [];
  if (throttled && broken) {
    const busy = {
      match: { method: 'POST', prompt: throttled.prompt },
      do: { fault: 'rate-limit', seconds: 1 },
    } as const;
    const cut = {
      match: { method: 'GET', path: '/media/*', prompt: broken.prompt },
      do: { fault: 'cut', afterBytes: 4096 },
    } as const;
    mishaps.push([faults.add(busy), t('cli.demoThrottled', { shot: plainText(throttled.key) })]);
    mishaps.push([faults.add(cut), t('cli.demoCutOff', { shot: plainText(broken.key) })]);
  }
  const status = await performDemo(demo, { ...list, checked: { ...list.checked, shots } }, 'sample');
  if (status !== exitStatus.saved) return status;
  reporter.say('');
  for (const [rule, words] of mishaps) if (faults.hits(rule) > 0) reporter.say(words);
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
  const access = { settings: { ...SETTINGS, baseUrl: service.url }, apiKey: service.apiKey };
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

/**
 * Makes a take of every kind, family and operation and checks each; then makes them all once more, with faults on
 * purpose for every kind. Ends with a status other than 0 when a take is wrong or was paid for twice.
 */
async function demoEveryKind(demo: Demo, words: readonly FaultWordName[] = faultWordNames): Promise<ExitStatus> {
  const list = await demoList(demo, 'every-kind.csv');
  const kinds = [...new Set(list.checked.shots.map(({ kind }) => kind))];
  const first = await round(demo, list, 'every-kind');
  if (first !== exitStatus.saved) return first;
  const { faults } = demo.service;
  const rules = kinds.flatMap((kind) =>
    words.map((word) => {
      const { match, do: fault } = faultWords[word];
      return { kind, word, rule: faults.add({ match: { ...match, kind }, do: fault }) };
    }),
  );
  const second = await round(demo, list, 'every-kind-faults');
  if (second !== exitStatus.saved) return second;
  demo.reporter.say('');
  const met = rules.filter(({ rule }) => faults.hits(rule) > 0);
  for (const kind of kinds) {
    const recovered = met.filter((each) => each.kind === kind).map(({ word }) => t('cli.fault', { fault: word }));
    const line = t('cli.recovered', { kind, faults: recovered.join(', ') });
    demo.reporter.say(recovered.length === 0 ? t('cli.metNoFault', { kind }) : line);
  }
  const unmet = [...new Set(words)].filter((word) => !met.some((each) => each.word === word));
  const spared = kinds.filter((kind) => !met.some((each) => each.kind === kind));
  return report(demo, [
    ...unmet.map((word) => t('cli.faultUnused', { fault: word })),
    ...(words === faultWordNames ? spared : []).map((kind) => t('cli.kindWithoutFault', { kind })),
  ]);
}

async function round(demo: Demo, list: ReadList, batch: string): Promise<ExitStatus> {
  const { service, reporter, out } = demo;
  const before = service.ledger.commits;
  const sentBefore = attemptsIn(demo, batch);
  const status = await performDemo(demo, list, batch);
  if (status !== exitStatus.saved) return status;
  const takes = await checkTakes(takesFor(demo, batch), list.checked.shots);
  reporter.say('');
  const columns = toColumns('common.shot', 'common.take', 'common.kind', 'common.model', 'common.files', 'cli.from');
  const rows = takes.map(({ job, formats, from }) => [
    ...[shortText(job.shot, 20), String(job.take), job.kind, shortText(job.model, 20)],
    ...[formats.join(', '), from.join(', ')],
  ]);
  for (const line of tableLines(columns, rows)) reporter.say(line);
  reporter.say(t('cli.allIn', { folder: plainText(out) }));
  const charged = service.ledger.commits - before;
  const sent = attemptsIn(demo, batch) - sentBefore;
  reporter.say(t('cli.sentAndCharged', { sent, charged }));
  return report(demo, [
    ...takes.flatMap(({ job, problems }) => problems.map((problem) => `${takeName(job)}: ${problem}`)),
    ...(charged === sent ? [] : [t('cli.chargedWrongly', { sent, charged })]),
  ]);
}

function takesFor({ session, out }: Demo, name: string) {
  return viewDataFolder(session.dataFolder, (view) => {
    const project = knownProject(view.projects, out);
    const batch = project && view.batches.named(project.id, name);
    if (!batch) return { jobs: [], folder: '', project: out };
    return {
      jobs: view.queries.list({ batchId: batch.id, current: true }),
      folder: batch.folder,
      project: project.path,
    };
  });
}

const attemptsIn = (demo: Demo, batch: string): number =>
  takesFor(demo, batch).jobs.filter(({ sentAt }) => sentAt !== undefined).length;

function report({ session }: Demo, problems: readonly string[]): ExitStatus {
  for (const problem of problems) session.complain(plainText(problem));
  return problems.length === 0 ? exitStatus.saved : exitStatus.failed;
}

async function checkTakes({ jobs, project, folder }: ReturnType<typeof takesFor>, shots: readonly ShotSpec[]) {
  const manifest = await readTable({ bytes: await readFile(join(project, folder, 'manifest.csv')) });
  const cell = (row: readonly string[], header: string): string => row[manifest.headers.indexOf(header)] ?? '';
  const listed = new Map(manifest.rows.map((row) => [cell(row, 'file'), cell(row, 'from')]));
  const specs = new Map(shots.map((spec) => [spec.key, spec]));
  const checkTake = async (job: JobView) => {
    const problems: string[] = job.files.length === 0 ? [t('cli.checkNotSaved', { state: job.state })] : [];
    const spec = specs.get(job.shot);
    const find = (text: string): string | null => (specs.has(text) ? text : null);
    const named = spec ? shotReferences(spec).flatMap(({ name }) => shotNamed(name, find)?.key ?? []) : [];
    const wanted = [...new Set(named)];
    const from = (job.from ?? []).flatMap(({ shot, take }) => (shot === undefined ? [] : [{ shot, take }]));
    const formats: string[] = [];
    for (const file of job.files) {
      const found = await inspect(project, file, job.medium);
      if ('problem' in found) problems.push(sayText(found.problem));
      else formats.push(found.format);
      if (!file.startsWith(`${folder}/${job.shot}_t${String(job.take)}`))
        problems.push(t('cli.checkWrongName', { file }));
      const lineage = listed.get(file);
      if (lineage === undefined) problems.push(t('cli.checkNotInManifest', { file }));
      else if (!wanted.every((key) => lineage.includes(`${key} take `)))
        problems.push(t('cli.checkManifestSource', { shots: wanted.join(', ') }));
    }
    const missing = wanted.filter((key) => !from.some(({ shot }) => shot === key));
    if (missing.length > 0) problems.push(t('cli.checkTakeSource', { shots: missing.join(', ') }));
    const sources = [...new Set(from.map(({ shot, take }) => t('cli.takeName', { shot, take: String(take) })))];
    return { job, formats, from: sources, problems };
  };
  return Promise.all(jobs.map(checkTake));
}

async function inspect(
  project: string,
  path: string,
  medium: Medium | undefined,
): Promise<{ readonly format: string } | { readonly problem: string }> {
  const file = await openFile(placeIn(project, path), 'read');
  try {
    const found = await inspectFile(file, { medium });
    if ('problem' in found) return { problem: t('common.namedValue', { name: path, value: found.problem }) };
    if (!found.verified) return { problem: t('cli.checkNotVerified', { file: path }) };
    return found;
  } finally {
    await file.handle.close();
  }
}
