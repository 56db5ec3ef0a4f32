import { say } from '../../contract/messages/words.ts';
import { exitStatus, type ExitStatus } from '../exit.ts';
import { plainText, shortText, tableLines } from '../output/text.ts';
import { takeName } from '../output/words.ts';
import type { ReadList } from '../read-list.ts';
import { knownProject, viewDataFolder } from '../look.ts';
import { checkTakes, type CheckedTake } from './check-takes.ts';
import { faultWordNames, faultWords, PlannedFaults, type FaultWordName } from './fault-words.ts';
import { demoList, performDemo, type Demo } from './perform-demo.ts';

/** The demo's account lacks the asynchronous endpoint of these, so that the synchronous ones are used too. */
export const SYNCHRONOUS_ONLY = ['image-demo-pro'];

/**
 * Makes a take of every kind, family and operation and checks each; then makes them all once more, with faults on
 * purpose for every kind. Ends with a status other than 0 when a take is wrong or was paid for twice.
 */
export async function demoEveryKind(demo: Demo, words: readonly FaultWordName[] = faultWordNames): Promise<ExitStatus> {
  const list = await demoList(demo, 'every-kind.csv');
  const kinds = [...new Set(list.checked.shots.map(({ kind }) => kind))];
  const first = await round(demo, list, 'every-kind');
  if (first !== exitStatus.saved) return first;
  const faults = new PlannedFaults(demo.service.faults, kinds, words);
  const second = await round(demo, list, 'every-kind-faults');
  if (second !== exitStatus.saved) return second;
  demo.reporter.say('');
  for (const kind of kinds) {
    const met = faults.metBy(kind).map((word) => say(faultWords[word].says));
    demo.reporter.say(
      met.length === 0 ? say('cli.metNoFault', { kind }) : say('cli.recovered', { kind, faults: met.join(', ') }),
    );
  }
  return told(demo, [
    ...faults.unmet.map((word) => say('cli.faultUnused', { fault: word })),
    ...(words === faultWordNames ? kinds : [])
      .filter((kind) => faults.metBy(kind).length === 0)
      .map((kind) => say('cli.kindWithoutFault', { kind })),
  ]);
}

async function round(demo: Demo, list: ReadList, batch: string): Promise<ExitStatus> {
  const { service, reporter, out } = demo;
  const before = service.ledger.commits;
  const sentBefore = attemptsIn(demo, batch);
  const status = await performDemo(demo, list, batch);
  if (status !== exitStatus.saved) return status;
  const { jobs, folder, project } = takesOf(demo, batch);
  const takes = await checkTakes(jobs, { project, folder, shots: list.checked.shots });
  reporter.say('');
  for (const line of tableLines(columns(), takes.map(cells))) reporter.say(line);
  reporter.say(say('cli.allIn', { folder: plainText(out) }));
  const charged = service.ledger.commits - before;
  const sent = attemptsIn(demo, batch) - sentBefore;
  reporter.say(say('cli.sentAndCharged', { sent, charged }));
  return told(demo, [
    ...takes.flatMap(({ job, problems }) => problems.map((problem) => `${takeName(job)}: ${problem}`)),
    ...(charged === sent ? [] : [say('cli.chargedWrongly', { sent, charged })]),
  ]);
}

const columns = () =>
  (['cli.shot', 'cli.take', 'cli.kind', 'cli.model', 'cli.filesColumn', 'cli.from'] as const).map((title) => ({
    title: say(title),
  }));

const cells = ({ job, formats, from }: CheckedTake): string[] => [
  shortText(job.shot, 20),
  String(job.take),
  job.kind,
  shortText(job.model, 20),
  formats.join(', '),
  from.join(', '),
];

function takesOf({ session, out }: Demo, name: string) {
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
  takesOf(demo, batch).jobs.filter(({ sentAt }) => sentAt !== undefined).length;

function told({ session }: Demo, problems: readonly string[]): ExitStatus {
  for (const problem of problems) session.shell.stderr.write(`${plainText(problem)}\n`);
  return problems.length === 0 ? exitStatus.saved : exitStatus.failed;
}
