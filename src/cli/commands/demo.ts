import { join, resolve } from 'node:path';
import { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { DemoService } from '../../demo/service.ts';
import type { EngineAtWork } from '../engine/engine-at-work.ts';
import { ownEngine, withEngine } from '../engine/own-engine.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { engineAtWork, viewDataFolder } from '../read-only-view.ts';
import { type Reporter } from '../output/reporter.ts';
import { counted, plainText } from '../output/text.ts';
import { resourcesFolder } from '../../host/package-folder.ts';
import {
  batchFolder,
  endingWithCounts,
  performRun,
  type PreparedRun,
  type RunNeeds,
  reporterFor,
} from '../perform-run.ts';
import { readList, type ReadList } from '../read-list.ts';
import { type Session, commandLine } from '../session.ts';
import { prepared } from './run.ts';

export interface DemoOptions {
  readonly out?: string;
  readonly shots?: number;
  readonly json?: boolean;
}

const BATCH = 'sample';

/** Runs the sample list on the built-in service. Goes on with a demo that was stopped midway, or makes new takes. */
export async function demo(given: Session, options: DemoOptions): Promise<ExitStatus> {
  const out = resolve(given.shell.cwd, options.out ?? 'dailies-demo');
  const dataFolder = given.options.data === undefined ? join(out, '.dailies-demo-data') : given.dataFolder;
  // Commands that are printed must find the jobs of the demo, which no other command knows.
  const session: Session = { ...given, dataFolder, options: { data: dataFolder } };
  const reporter = await reporterFor(session.shell, options.json === true);
  return endingWithCounts(reporter, async (seen) => {
    refuseSecondDemo(dataFolder);
    const settings = Settings.parse({});
    const list = await sampleList(session, settings, options.shots);
    const service = await session.shell.startDemoService({ stateDir: join(dataFolder, 'service') });
    try {
      reporter.say(`The demo service of this machine stands in for the real one: no key, no cost.`);
      const mishaps = planMishaps(service, list.checked.shots);
      const access = { settings: { ...settings, baseUrl: service.url }, apiKey: service.apiKey };
      const needs = { ...access, command: 'dailies demo' };
      // Its service lives in this process, and so does its engine.
      const way: RunNeeds['way'] = { use: (work) => withEngine(session, needs, (engine) => work(ownEngine(engine))) };
      const status = await performRun(session, { way, reporter, letGo: true, seen }, (engine) =>
        whatToDo(session, { engine, out, list, reporter, options }),
      );
      if (status === exitStatus.saved)
        tellWhatWasSeen(reporter, { service, mishaps, out, goOn: goOnWith(options), session });
      return status;
    } finally {
      await service.stop();
    }
  });
}

/** Two services would share one memory of their tasks. */
function refuseSecondDemo(dataFolder: string): void {
  const holder = engineAtWork(dataFolder);
  if (!holder) return;
  throw new UsageError(
    `A demo is at work here already (process ${holder.pid}).`,
    'Wait for it, stop it, or name another folder with --out.',
  );
}

async function sampleList(session: Session, settings: Settings, shots: number | undefined): Promise<ReadList> {
  const file = join(resourcesFolder(), 'samples', 'sample-shots.csv');
  const list = await readList(session, { list: file }, { settings });
  const [defect] = list.checked.defects.filter(({ severity }) => severity === 'error');
  if (defect) throw new Error(`The sample list is broken: ${defect.problem}`);
  return { ...list, checked: { ...list.checked, shots: list.checked.shots.slice(0, shots) } };
}

/** The command that goes on with a demo in the same folder. */
function goOnWith({ out }: DemoOptions): string {
  return out === undefined ? commandLine({}, 'demo') : commandLine({}, 'demo', '--out', out);
}

interface DemoStart {
  readonly engine: EngineAtWork;
  readonly out: string;
  readonly list: ReadList;
  readonly reporter: Reporter;
  readonly options: DemoOptions;
}

/** What was left of the last demo goes first; only then are new takes made. */
async function whatToDo(session: Session, { engine, out, list, reporter, options }: DemoStart): Promise<PreparedRun> {
  const goOn = goOnWith(options);
  const project = await engine.openProject(out);
  const { batch, left } = lastDemo(session, project.id);
  if (batch && left > 0 && !engine.recovery.interruptedImports.includes(BATCH)) {
    reporter.say(`The last demo was stopped midway: the ${counted(left, 'take')} it left are finished now.`);
    const plan = {
      scope: { projectId: project.id, batchId: batch.id },
      title: `Batch ${BATCH} of ${plainText(project.name)}`,
      folders: () => [batchFolder(project.path, batch)],
      goOn,
    };
    return { plan, watch: await engine.watch(plan.scope, { letGo: true }) };
  }
  const again = batch !== null && left === 0;
  const start = { list, project: out, batch: BATCH, again, agreed: [] };
  const started = await engine.startList(start, session.interrupted);
  const { plan, watch } = await prepared(started, reporter, { letGo: true });
  return { plan: { ...plan, goOn }, watch };
}

function lastDemo({ dataFolder }: Session, projectId: string) {
  return viewDataFolder(dataFolder, (view) => {
    const batch = view?.batches.named(projectId, BATCH) ?? null;
    return { batch, left: (batch && view?.jobs.counts({ batchId: batch.id }).unfinished) ?? 0 };
  });
}

/** A fault the demo service commits on purpose, and what it looks like. */
interface Mishap {
  readonly rule: number;
  readonly words: string;
}

/** Two takes of each demo meet trouble, because trouble is what a night of generations has. */
function planMishaps({ faults }: DemoService, shots: readonly ShotSpec[]): Mishap[] {
  const [throttled, broken = throttled] = shots;
  if (!throttled || !broken) return [];
  return [
    {
      rule: faults.add({
        match: { method: 'POST', prompt: throttled.prompt },
        do: { fault: 'rate-limit', seconds: 1 },
      }),
      words: `shot ${plainText(throttled.key)} was told to come back a second later (429)`,
    },
    {
      rule: faults.add({
        match: { method: 'GET', path: '/media/*', prompt: broken.prompt },
        do: { fault: 'cut', afterBytes: 4096 },
      }),
      words: `the file of shot ${plainText(broken.key)} was cut off midway`,
    },
  ];
}

interface Seen {
  readonly service: DemoService;
  readonly mishaps: readonly Mishap[];
  readonly out: string;
  readonly goOn: string;
  readonly session: Session;
}

function tellWhatWasSeen(reporter: Reporter, { service, mishaps, out, goOn, session }: Seen): void {
  const met = mishaps.filter(({ rule }) => service.faults.hits(rule) > 0).map(({ words }) => words);
  reporter.say('');
  if (met.length > 0) reporter.say(`On purpose, ${met.join(', and ')}: made good without a second charge.`);
  reporter.say(`Open this folder: ${out}`);
  reporter.say('Try next:');
  reporter.say(`  ${goOn}  (new takes beside these; nothing is overwritten)`);
  reporter.say(`  ${commandLine(session.options, 'jobs', 'list')}`);
  reporter.say('  dailies service  (the demo service alone, to run a list of your own against)');
}
