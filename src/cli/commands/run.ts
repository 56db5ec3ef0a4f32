import { resolve } from 'node:path';
import type { Engine, OpenedProject, StartedBatch } from '../../engine/engine-api.ts';
import { exitStatus, noCounts, type ExitStatus } from '../exit.ts';
import { reporterFor, type Reporter } from '../output/reporter.ts';
import { counted, plainText } from '../output/text.ts';
import { batchFolder, performRun } from '../perform-run.ts';
import { readList, type ListOptions, type ReadList } from '../read-list.ts';
import { serviceAccess, settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';

export interface RunOptions extends ListOptions {
  readonly project: string;
  readonly batch?: string;
  readonly again?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Imports a list, checks it, and makes its takes until nothing can go on by itself. */
export async function run(session: Session, options: RunOptions): Promise<ExitStatus> {
  const reporter = await reporterFor(session.shell, options.json === true);
  let counts = noCounts;
  try {
    // Before the list is even read: a missing key is told at once, and nothing is stored.
    const access = options.dryRun ? null : await serviceAccess(session);
    const list = await readList(session, options, access?.settings ?? settingsOf(session));
    session.interrupted.throwIfAborted();
    if (!tellList(session, reporter, list)) return exitStatus.usage;
    if (access === null) {
      await (await import('../dry-run.ts')).tellRequests(session, { options, list, reporter });
      return exitStatus.saved;
    }
    const end = await performRun(session, { ...access, command: 'dailies run', reporter }, (engine) =>
      startList(session, { engine, options, list, reporter }),
    );
    counts = end.counts;
    return end.status;
  } finally {
    reporter.summary(counts);
  }
}

/** Tells what a list holds and what is wrong with it. False when nothing may be sent. */
function tellList({ shell }: Session, reporter: Reporter, { table, checked, source }: ReadList): boolean {
  reporter.defects(checked.defects);
  const errors = checked.defects.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    shell.stderr.write(
      `${plainText(source)} has ${counted(errors, 'error')}: nothing was sent. Correct the list and run it again.\n`,
    );
    return false;
  }
  if (checked.shots.length === 0) {
    shell.stderr.write(
      `${plainText(source)} has no shots to make (${counted(checked.skipped, 'row')} skipped): nothing was sent.\n`,
    );
    return false;
  }
  const skipped = checked.skipped > 0 ? `, ${checked.skipped} skipped` : '';
  const encoding = table.encoding === null ? `sheet ${plainText(table.sheet ?? '')}` : table.encoding;
  reporter.say(`${plainText(source)}: ${counted(checked.shots.length, 'shot')}${skipped} (${encoding}).`);
  return true;
}

interface ListStart {
  readonly engine: Engine;
  readonly options: Pick<RunOptions, 'project' | 'batch' | 'again'>;
  readonly list: ReadList;
  readonly reporter: Reporter;
}

/** Stores a checked list as a batch of its project and says what an engine is to work on. */
export async function startList(session: Session, { engine, options, list, reporter }: ListStart) {
  const project = await engine.projects.open(resolve(session.shell.cwd, options.project));
  tellProject(reporter, project);
  const started = await engine.batches.start({
    project,
    name: options.batch ?? list.batchName,
    listFolder: list.listFolder,
    source: list.source,
    shots: list.checked.shots,
    again: options.again === true,
    signal: session.interrupted,
  });
  tellPlan(reporter, started);
  return {
    scope: { projectId: project.id, batchId: started.batch.id },
    title: `Batch ${plainText(started.batch.name)} of ${plainText(project.name)}`,
    folders: () => [batchFolder(project.path, started.batch)],
  };
}

function tellProject(reporter: Reporter, { adoptedTakes, problems }: OpenedProject): void {
  if (adoptedTakes > 0)
    reporter.say(`${counted(adoptedTakes, 'take')} of this folder came from elsewhere and were taken over.`);
  for (const problem of problems) reporter.say(`Not readable, left as it is: ${plainText(problem)}`);
}

function tellPlan(reporter: Reporter, { batch, plan, newTakes }: StartedBatch): void {
  reporter.plan({
    batch: batch.name,
    added: plan.added.length,
    changed: plan.changed.length,
    unchanged: plan.unchanged.length,
    removed: plan.removed.length,
    newTakes,
  });
}
