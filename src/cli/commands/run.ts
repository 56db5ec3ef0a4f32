import { say } from '../../contract/messages/words.ts';
import { resolve } from 'node:path';
import type { ListToRun, StartedRun } from '../../contract/run.ts';
import { textOfShots } from '../../server/runs/start-run.ts';
import type { CommandEngine, RunNews, WatchOptions } from '../engine.ts';
import { sendingEngine } from '../connect.ts';
import { askService, modelsToCheckAgainst } from '../account-models.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { agreeToPayAgain, whatIsPaidAgain } from '../paid-again.ts';
import { agreeToSend, filesToAgreeTo } from '../outside-files.ts';
import { type Reporter } from '../output/reporter.ts';
import { plainText } from '../output/text.ts';
import { batchFolder, withFinalCounts, performRun, type PreparedRun, reporterFor } from '../perform-run.ts';
import { readList, RUN, type ReadList, type RunOptions } from '../read-list.ts';
import { windowOf } from '../window-options.ts';
import { settingsOf } from '../service-access.ts';
import type { Session } from '../session.ts';
import { verb } from '../verb.ts';
import { knownProject, textsOf, viewDataFolder, viewProject } from '../look.ts';

export const verbs = [verb('run', 'cli.helpRun', RUN, run)];

async function run(session: Session, options: RunOptions): Promise<ExitStatus> {
  const reporter = await reporterFor(session.shell, options.json === true);
  return withFinalCounts(reporter, async (seen) => {
    if (options.offline && !options.dryRun) {
      throw new UsageError(say('cli.offlineRun'), say('cli.offlineRunRemedy'));
    }
    const window = windowOf(options);
    // Before the list is read: a missing key is reported immediately, and nothing is stored.
    const connector = options.dryRun ? null : await sendingEngine(session, 'dailies run');
    const settings = connector?.settings ?? settingsOf(session);
    const askModels = connector?.askModels ?? askService(session);
    const accountModels = options.offline ? undefined : await modelsToCheckAgainst(session, askModels);
    const looked = await viewProject(session, options.project, async (seen) => {
      const list = await readList(session, options, { settings, accountModels, variables: textsOf(seen) });
      session.interrupted.throwIfAborted();
      if (!reportList(session, options, reporter, list)) return null;
      const paidAgain = await whatIsPaidAgain(session, options, { list, seen });
      const outside = await filesToAgreeTo(session, options, { list, seen });
      session.interrupted.throwIfAborted();
      if (outside.length > 0) reporter.outside(outside);
      if (paidAgain !== null) reporter.paidAgain(paidAgain);
      if (options.dryRun)
        await (await import('../dry-run.ts')).printRequests(session, { options, list, reporter, seen });
      return { list, paidAgain, outside };
    });
    if (looked === null) return exitStatus.usage;
    if (connector === null) return exitStatus.saved;
    const { list, paidAgain, outside } = looked;
    await agreeToPayAgain(session, options, { paid: paidAgain, ownName: list.batchName });
    const agreed = await agreeToSend(session, options, outside);
    const start = startingOnce(session, {
      ...{ ...listToRun(session, options, list), window, agreed: [...agreed] },
      paidAgain: options.batch === undefined ? (paidAgain?.takes ?? 0) : undefined,
    });
    // An engine that others share was paused by them: their pause stays.
    return await performRun(session, { connector, reporter, resumePaused: false, seen }, async (engine) =>
      // A person who runs this wants it to continue, even if the queue was paused in a window that is now closed.
      prepared(engine, await start(engine), reporter, { resumePaused: !connector.wasLost }),
    );
  });
}

function reportList(
  { shell }: Session,
  { sheet: chosen }: RunOptions,
  reporter: Reporter,
  { table, checked, source }: ReadList,
): boolean {
  reporter.defects(checked.defects);
  const errors = checked.defects.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    shell.stderr.write(`${say('cli.listHasErrors', { source: plainText(source), count: errors })}\n`);
    return false;
  }
  if (checked.shots.length === 0) {
    shell.stderr.write(`${say('cli.listEmpty', { source: plainText(source), skipped: checked.skipped })}\n`);
    return false;
  }
  const { shots, skipped } = checked;
  const encoding = table.encoding ?? sheetInWords(table, chosen !== undefined);
  reporter.say(say('cli.listRead', { source: plainText(source), shots: shots.length, skipped, encoding }));
  return true;
}

function sheetInWords({ sheet, sheets }: ReadList['table'], isChosen: boolean): string {
  const others = isChosen ? [] : sheets.filter((name) => name !== sheet);
  const name = plainText(sheet ?? '');
  if (others.length === 0) return say('cli.sheet', { name });
  return say('cli.sheetOfSeveral', { name, others: others.map(plainText).join(', ') });
}

function listToRun(
  { shell }: Session,
  { project, batch, again, merge, maxSpend, maxTakes, order }: Partial<RunOptions> & { readonly project: string },
  { listFolder, source, batchName, checked }: ReadList,
): ListToRun {
  const cap = {
    ...(maxSpend !== undefined && { money: maxSpend }),
    ...(maxTakes !== undefined && { takes: maxTakes }),
  };
  return {
    ...{ listFolder, source, order, project: resolve(shell.cwd, project), name: batch ?? batchName },
    ...{ again: again === true, keepOthers: merge === true },
    cap: Object.keys(cap).length > 0 ? cap : undefined,
    ...listOf(checked),
  };
}

/** What a checked list says, as a start takes it. */
export const listOf = ({ shots, rows, texts }: ReadList['checked']): Pick<ListToRun, 'shots' | 'rows' | 'texts'> => ({
  shots: textOfShots(shots),
  rows: [...rows],
  texts: Object.fromEntries(texts),
});

/** A run that was stored, and the messages that follow. */
interface StartedList {
  readonly started: StartedRun;
  readonly news: RunNews;
}

/** Stores a list as a batch of its project. */
export async function startList(engine: CommandEngine, list: ListToRun): Promise<StartedList> {
  const news = engine.listen(await engine.api.runs.start(list));
  // It comes first; a connection that breaks before that throws.
  const { value: started } = (await news.next()) as IteratorYieldResult<StartedRun>;
  return { started, news };
}

export async function prepared(
  engine: CommandEngine,
  { started, news }: StartedList,
  reporter: Reporter,
  options: WatchOptions,
): Promise<PreparedRun> {
  const { project, batch, added, changed, unchanged, removed, newTakes, waiting } = started;
  reportProject(reporter, project);
  reporter.plan({ batch: batch.name, added, changed, unchanged, removed, newTakes, waiting });
  const plan = {
    scope: { projectId: project.id, batchId: batch.id },
    title: say('cli.titleBatch', { batch: plainText(batch.name), project: plainText(project.name) }),
    folders: () => [batchFolder(project.path, batch)],
  };
  return { plan, watch: await engine.watch(plan.scope, { ...options, news }) };
}

function reportProject(reporter: Reporter, { adoptedTakes, limits, problems }: StartedRun['project']): void {
  if (adoptedTakes > 0) reporter.say(say('cli.adoptedTakes', { count: adoptedTakes }));
  for (const limit of limits) reporter.say(plainText(limit));
  for (const problem of problems) reporter.say(say('cli.notReadable', { problem: plainText(problem) }));
}

/**
 * Stores a list once, however many engines are asked: one that was lost may have stored it without reporting it.
 * Storing the same list again completes it and makes nothing twice, unless new takes of everything are wanted.
 */
function startingOnce(session: Session, start: ListToRun): (engine: CommandEngine) => Promise<StartedList> {
  let before: number | null = null;
  return async (engine) => {
    const wasStored = before !== null && storedTakes(session, start) > before;
    before ??= start.again ? storedTakes(session, start) : 0;
    return startList(engine, { ...start, again: start.again && !wasStored });
  };
}

/** How many takes the batch has; none while its import is incomplete, since repeating the import completes it. */
function storedTakes({ dataFolder }: Session, { project: path, name }: ListToRun): number {
  return viewDataFolder(dataFolder, (view) => {
    const project = knownProject(view.projects, path);
    const batch = project && view.batches.named(project.id, name);
    if (!batch || view.batches.interruptedImports().some(({ id }) => id === batch.id)) return 0;
    return view.queries.list({ batchId: batch.id }).length;
  });
}
