import { say } from '../../contract/messages/words.ts';
import { join, resolve } from 'node:path';
import { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { DemoService } from '../../demo/service.ts';
import { demoEveryKind, SYNCHRONOUS_ONLY, faultWordNames } from '../demo/every-kind.ts';
import { demoList, performDemo, type Demo } from '../demo/perform-demo.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { plainText } from '../output/text.ts';
import { withFinalCounts, reporterFor } from '../perform-run.ts';
import { engineAtWork } from '../look.ts';
import { type Session, commandLine } from '../session.ts';
import { count, JSON_SUMMARY, verb, word, type Given } from '../verb.ts';

const DEMO = [
  word('--out <dir>', 'cli.optDemoOut'),
  word('--shots <n>', 'cli.optDemoShots', { parse: count }),
  word('--all', 'cli.optDemoAll'),
  // With `--all`: the faults of its second run.
  word('--fault <words...>', 'cli.optDemoFault', { choices: faultWordNames }),
  JSON_SUMMARY,
] as const;
type DemoOptions = Given<typeof DEMO>;

export const verbs = [verb('demo', 'cli.helpDemo', DEMO, demo)];

async function demo(given: Session, options: DemoOptions): Promise<ExitStatus> {
  const out = resolve(given.shell.cwd, options.out ?? 'dailies-demo');
  const dataFolder = given.options.data === undefined ? join(out, '.dailies-demo-data') : given.dataFolder;
  // Printed commands must find the jobs of the demo, which are in its own data folder.
  const session: Session = { ...given, dataFolder, options: { data: dataFolder } };
  const reporter = await reporterFor(session.shell, options.json === true);
  return withFinalCounts(reporter, async (seen) => {
    refuseSecondDemo(dataFolder);
    const stateDir = join(dataFolder, 'service');
    const everyKind = { faster: 4, asyncImages: { without: SYNCHRONOUS_ONLY } };
    const service = await session.shell.startDemoService({ stateDir, ...(options.all && everyKind) });
    try {
      reporter.say(say('cli.demoService'));
      const goOn = goOnWith(options);
      const stage: Demo = { session, service, settings: Settings.parse({}), out, reporter, seen, goOn };
      return await (options.all ? demoEveryKind(stage, options.fault) : demoSample(stage, options));
    } finally {
      await service.stop();
    }
  });
}

async function demoSample(demo: Demo, { shots }: DemoOptions): Promise<ExitStatus> {
  const list = await demoList(demo, 'sample-shots.csv');
  const some = { ...list, checked: { ...list.checked, shots: list.checked.shots.slice(0, shots) } };
  const mishaps = planMishaps(demo.service, some.checked.shots);
  const status = await performDemo(demo, some, 'sample');
  if (status === exitStatus.saved) reportMishaps(demo, mishaps);
  return status;
}

/** Two services would share one state of their tasks. */
function refuseSecondDemo(dataFolder: string): void {
  const holder = engineAtWork(dataFolder);
  if (!holder) return;
  throw new UsageError(say('cli.demoRunning', { pid: String(holder.pid) }), say('cli.demoRunningRemedy'));
}

const goOnWith = ({ out, all }: DemoOptions): string =>
  commandLine({}, 'demo', ...(all ? ['--all'] : []), ...(out === undefined ? [] : ['--out', out]));

interface Mishap {
  readonly rule: number;
  readonly words: string;
}

function planMishaps({ faults }: DemoService, shots: readonly ShotSpec[]): Mishap[] {
  const [throttled, broken = throttled] = shots;
  if (!throttled || !broken) return [];
  return [
    {
      rule: faults.add({
        match: { method: 'POST', prompt: throttled.prompt },
        do: { fault: 'rate-limit', seconds: 1 },
      }),
      words: say('cli.demoThrottled', { shot: plainText(throttled.key) }),
    },
    {
      rule: faults.add({
        match: { method: 'GET', path: '/media/*', prompt: broken.prompt },
        do: { fault: 'cut', afterBytes: 4096 },
      }),
      words: say('cli.demoCutOff', { shot: plainText(broken.key) }),
    },
  ];
}

function reportMishaps({ reporter, service, out, goOn, session }: Demo, mishaps: readonly Mishap[]): void {
  const met = mishaps.filter(({ rule }) => service.faults.hits(rule) > 0).map(({ words }) => words);
  reporter.say('');
  for (const words of met) reporter.say(words);
  reporter.say(say('cli.demoFolder', { folder: out }));
  reporter.say(say('cli.demoNext'));
  reporter.say(`  ${say('cli.demoNextAgain', { command: goOn })}`);
  reporter.say(`  ${commandLine(session.options, 'jobs', 'list')}`);
  reporter.say(`  ${say('cli.demoNextService', { command: 'dailies service' })}`);
}
