import { isAccount, serviceOfAccount, settingsOn } from '../../contract/accounts.ts';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { OutsideFile, PaidAgain } from '../../contract/batch.ts';
import type { Standing } from '../../contract/job.ts';
import { saySentences, t } from '../../contract/messages/words.ts';
import type { NightWindow } from '../../contract/night-window.ts';
import type { ListToRun, StartedRun } from '../../contract/run.ts';
import { paidAgain } from '../../engine/batches/paid-again.ts';
import { AgreementStore } from '../../engine/db/limit-store.ts';
import { realPath } from '../../engine/files/existing-paths.ts';
import { batchesBeside } from '../../engine/jobs/planning.ts';
import { outsideFiles } from '../../engine/library/needs.ts';
import { textOfShots } from '../../server/runs.ts';
import { projectToOpen, findEngine } from '../connect.ts';
import type { CommandEngine } from '../engine.ts';
import { exitStatus, type ExitStatus, refused, statusFor, UsageError } from '../exit.ts';
import { knownProject, type ProjectView, toTexts, viewDataFolder, viewProject } from '../look.ts';
import { WINDOW, toWindow } from '../options.ts';
import type { Reporter } from '../output/reporter.ts';
import { plainText } from '../output/text.ts';
import { markedDefects, MAX_FILES, outsideLines, paidAgainLine, showPlan, warning } from '../output/words.ts';
import { batchFolder, runBatch, type PreparedRun, type RunNeeds, withReporter } from '../run-batch.ts';
import { readList, type ReadList, RUN, type RunOptions } from '../read-list.ts';
import { accountNeeded, askService, modelsToCheckAgainst, settingsForAccount, toSettings } from '../service-access.ts';
import { readSettings } from '../../host/settings-file.ts';
import { quoted, type Session } from '../session.ts';
import { agree } from '../shell.ts';
import { createBudgetNotices, machineHere } from '../studio-link.ts';
import { JSON_LINES, PROJECT, verb } from '../verb.ts';

const RESUME = [PROJECT, ...WINDOW, JSON_LINES] as const;

export const verbs = [
  verb('run', 'cli.helpRun', RUN, (session, options) => withReporter(session, (needs) => run(session, options, needs))),
  verb('resume', 'cli.helpResume', RESUME, (session, options) =>
    withReporter(session, async (needs) => {
      const window = toWindow(options);
      const path = options.project === undefined ? null : projectFolder(session, options.project);
      if (
        path === null &&
        session.options.account !== undefined &&
        readSettings(session.dataFolder).accounts.length > 0
      )
        throw refused('cli.resumeOfAccount');
      const connector = await findEngine(session, { sends: true, project: path ?? undefined });
      return runBatch(session, { ...needs, connector, resumePaused: true }, (engine) =>
        whatIsLeft(session, engine, { path, reporter: needs.reporter, window }),
      );
    }),
  ),
];

async function run(
  session: Session,
  options: RunOptions,
  needs: Pick<RunNeeds, 'reporter' | 'seen'>,
): Promise<ExitStatus> {
  const { reporter } = needs;
  if (options.offline && !options.dryRun) throw refused('cli.offlineRun');
  const window = options.tonight ? await projectWindow(session, options) : toWindow(options);
  // Before the list is read: a missing key is reported immediately, and nothing is stored.
  if (!options.studio && (options.wait || (options.root ?? []).length > 0)) throw refused('cli.waitWithoutStudio');
  const project = resolve(session.shell.cwd, options.project);
  const account = accountNeeded(session, project);
  const studio = options.studio === true;
  if (studio) await machineHere(session, { root: options.root });
  const connector = options.dryRun ? null : await findEngine(session, { sends: true, project, studio });
  const settings = settingsOn(connector?.settings ?? toSettings(session, account), serviceOfAccount(account.id));
  const askModels = connector?.askModels ?? askService(session, project);
  const accountModels = options.offline ? undefined : await modelsToCheckAgainst(session, askModels);
  const looked = await viewProject(session, options.project, async (seen) => {
    const beside = (own: string) => batchesBeside(seen.view, seen.project?.id, options.batch ?? own);
    const list = await readList(session, options, {
      ...{ settings, accountModels, variables: toTexts(seen), batches: beside },
    });
    session.interrupted.throwIfAborted();
    if (!reportList(session, options, reporter, list)) return null;
    const paid = await whatIsPaidAgain(session, options, list, seen);
    const outside = await filesToAgreeTo(session, options, list, seen);
    session.interrupted.throwIfAborted();
    if (outside.length > 0) {
      const line = outsideLines(outside).join('\n');
      reporter.show([{ type: 'outside', files: outside }], (style) => [warning(line, style)]);
    }
    if (paid !== null) {
      reporter.show([{ type: 'paid_again', ...paid }], (style) => [warning(paidAgainLine(paid), style)]);
    }
    if (options.dryRun) await (await import('../dry-run.ts')).printRequests(session, { options, list, reporter, seen });
    return { list, paid, outside };
  });
  if (looked === null) return exitStatus.usage;
  if (connector === null) return exitStatus.saved;
  const { list, paid, outside } = looked;
  await agreeToPayAgain(session, options, paid, list.batchName);
  const agreed = await agreeToSend(session, options, outside);
  const start = startingOnce(session, {
    ...{ ...listToRun(session, options, list), window, agreed },
    paidAgain: options.batch === undefined ? (paid?.takes ?? 0) : undefined,
    ...(studio && { studio: true }),
  });
  if (studio) {
    const wait = options.wait === true;
    return connector.use(async (engine) => inStudio(session, engine, await start(engine), { ...needs, wait }));
  }
  // An engine that others share was paused by them: their pause stays.
  return runBatch(session, { ...needs, connector, resumePaused: false }, async (engine) =>
    // A person who runs this wants it to continue, even if the queue was paused in a window that is now closed.
    prepared(engine, await start(engine), reporter, !connector.wasLost()),
  );
}

/** The night window of the project. Throws UsageError where none is set. */
async function projectWindow(session: Session, { project: folder, window }: RunOptions): Promise<NightWindow> {
  if (window !== undefined) throw refused('cli.tonightAndWindow');
  return viewProject(session, folder, async ({ view, project }) => {
    const [set] = view.windows
      .list()
      .filter(({ scope }) => scope.scope === 'project' && scope.projectId === project?.id);
    if (!set) throw refused('cli.noWindowTonight', { project: quoted(folder) });
    return set.window;
  });
}

function reportList(
  { complain }: Session,
  { sheet: chosen }: RunOptions,
  reporter: Reporter,
  { table, checked, source }: ReadList,
): boolean {
  const { defects } = checked;
  reporter.show(
    defects.map((defect) => ({ type: 'defect', ...defect })),
    (style) => markedDefects(defects, style),
  );
  const errors = defects.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    complain(t('cli.listHasErrors', { source: plainText(source), count: errors }));
    return false;
  }
  if (checked.shots.length === 0) {
    complain(t('cli.listEmpty', { source: plainText(source), skipped: checked.skipped }));
    return false;
  }
  const { shots, skipped } = checked;
  const encoding = table.encoding ?? sheetInWords(table, chosen !== undefined);
  reporter.say(t('cli.listRead', { source: plainText(source), shots: shots.length, skipped, encoding }));
  return true;
}

/** Which sheet was read and, unless a person chose it, that there are others. */
function sheetInWords({ sheet, sheets }: ReadList['table'], isChosen: boolean): string {
  const others = isChosen ? [] : sheets.filter((name) => name !== sheet);
  const facts = { count: others.length, others: others.map(plainText).join(', ') };
  return t('cli.sheet', { name: plainText(sheet ?? ''), ...facts });
}

function listToRun(
  { shell, options: { account } }: Session,
  { project, kind, batch, again, merge, maxSpend, maxTakes, order }: Partial<RunOptions> & { readonly project: string },
  { listFolder, source, batchName, checked, table }: ReadList,
): ListToRun {
  const cap = {
    ...(maxSpend !== undefined && { money: maxSpend }),
    ...(maxTakes !== undefined && { takes: maxTakes }),
  };
  return {
    ...{ listFolder, source, order, account, project: resolve(shell.cwd, project), name: batch ?? batchName },
    ...{ again: again === true, keepOthers: merge === true },
    cap: Object.keys(cap).length > 0 ? cap : undefined,
    ...listOf(checked),
    list: { kind: kind ?? null, headers: [...table.headers], rows: table.rows.map((row) => [...row]) },
  };
}

export const listOf = ({ shots, rows, texts }: ReadList['checked']): Pick<ListToRun, 'shots' | 'rows' | 'texts'> => ({
  shots: textOfShots(shots),
  rows: [...rows],
  texts: Object.fromEntries(texts),
});

type StartedList = Awaited<ReturnType<typeof startList>>;

export async function startList(engine: CommandEngine, list: ListToRun) {
  const progress = engine.listen(await engine.api.runs.start(list));
  // It comes first; a connection that breaks before that throws.
  const { value: started } = (await progress.next()) as IteratorYieldResult<StartedRun>;
  return { started, progress };
}

export async function prepared(
  engine: CommandEngine,
  { started, progress }: StartedList,
  reporter: Reporter,
  resumePaused: boolean,
): Promise<PreparedRun> {
  const { project, batch, added, changed, unchanged, removed, newTakes, waiting } = started;
  reportProject(reporter, project);
  showPlan(reporter, { batch: batch.name, added, changed, unchanged, removed, newTakes, waiting });
  const scope = { projectId: project.id, batchId: batch.id };
  const title = t('cli.titleBatch', { batch: plainText(batch.name), project: plainText(project.name) });
  const watch = await engine.watch(scope, { resumePaused, progress });
  return { scope, title, folders: [batchFolder(project.path, batch)], watch };
}

/** How often the takes of others are looked at, ms. */
const LOOK_MS = 1000;

/** Says what was handed to the studio and, where it is waited for, follows it until nothing of the batch goes on. */
async function inStudio(
  session: Session,
  engine: CommandEngine,
  { started, progress }: StartedList,
  { reporter, seen, wait }: Pick<RunNeeds, 'reporter' | 'seen'> & { readonly wait: boolean },
): Promise<ExitStatus> {
  // Nothing of it is made by this command.
  await progress.return();
  const { project, batch, queued = 0, ...counts } = started;
  reportProject(reporter, project);
  showPlan(reporter, { ...counts, batch: batch.name });
  reporter.show([{ type: 'studio', queued }], () => [t('cli.studioQueued', { count: queued })]);
  const scope = { projectId: project.id, batchId: batch.id };
  const notices = createBudgetNotices(session, (object, line) =>
    reporter.show([object], (style) => [warning(line, style)]),
  );
  for (;;) {
    await engine.pull?.();
    const { counts, waiting } = viewDataFolder(session.dataFolder, (view) => ({
      counts: { ...view.queries.counts(scope), waiting: view.queries.waiting(scope) },
      waiting: notices(view, batch.id),
    }));
    if (!wait) return exitStatus.saved;
    seen(counts);
    // What waits for a person does not go on by itself.
    if (counts.unfinished === counts.waiting) return statusFor(counts, null);
    // As with a cap: nothing of it goes on until a person raises the budget. The takes stay in the studio's queue.
    if (waiting >= counts.unfinished) return statusFor(counts, { reason: 'cap_reached' });
    await session.shell.clock.sleep(LOOK_MS, { signal: session.interrupted });
  }
}

function reportProject(reporter: Reporter, { adoptedTakes, limits, problems }: StartedRun['project']): void {
  if (adoptedTakes > 0) reporter.say(t('cli.adoptedTakes', { count: adoptedTakes }));
  for (const limit of limits) reporter.say(plainText(limit));
  for (const problem of problems) reporter.say(t('cli.notReadable', { problem: plainText(problem) }));
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

/** Null where nothing is paid for again; another batch is named only to a person who has to choose between the two. */
async function whatIsPaidAgain(
  session: Session,
  options: RunOptions,
  { batchName: ownName, checked: { shots } }: ReadList,
  { view, project }: ProjectView,
): Promise<PaidAgain | null> {
  if (!project) return null;
  const { batch: name = ownName, again = false } = options;
  const place = { projectId: project.id, name, ownName, again };
  const paid = await paidAgain(view.batches, {
    ...place,
    shots,
    settings: settingsForAccount(session, accountNeeded(session, project.path)),
  });
  const isChosen = options.batch !== undefined || !paid?.needsAgreement;
  return paid?.reason === 'other_batch' && isChosen ? null : paid;
}

/**
 * Asks the person to agree to pay again for the same shots. Throws UsageError, before anything is stored, if the person
 * does not agree; `--batch` counts as agreement.
 */
async function agreeToPayAgain(
  { shell }: Session,
  { batch }: RunOptions,
  paid: PaidAgain | null,
  ownName: string,
): Promise<void> {
  if (!paid?.needsAgreement || batch !== undefined) return;
  const count = paid.takes;
  const question = saySentences(t('start.paidAgain', { count }), t('queue.makeAgainQuestion', { count }));
  await agree(shell, question, remedyFor(paid, ownName));
}

const named = (batch: string): string => `--batch ${JSON.stringify(plainText(batch))}`;

const remedyFor = (paid: PaidAgain, ownName: string): string =>
  paid.reason === 'other_batch'
    ? t('cli.otherBatchRemedy', { there: named(paid.there.name), elsewhere: named(paid.elsewhere.name) })
    : t('cli.movedRemedy', { batch: named(ownName) });

const allowedPaths = ({ shell }: Session, { allowFile = [] }: RunOptions): Promise<string[]> =>
  Promise.all(allowFile.map((path) => realPath(resolve(shell.cwd, path))));

async function filesToAgreeTo(
  session: Session,
  options: RunOptions,
  { listFolder, checked }: ReadList,
  { view, project }: ProjectView,
): Promise<OutsideFile[]> {
  const folder = resolve(session.shell.cwd, options.project);
  const inside = await Promise.all([folder, listFolder].map(realPath));
  const before = project ? new AgreementStore(view.db).of(project.id) : [];
  const agreed = [...inside, ...(await allowedPaths(session, options)), ...before];
  return outsideFiles(checked.shots, listFolder, agreed);
}

/**
 * Asks the person to agree to send files from outside. Resolves to the real paths agreed to. Throws UsageError, before
 * anything is stored, if the person does not agree.
 */
async function agreeToSend(session: Session, options: RunOptions, outside: readonly OutsideFile[]): Promise<string[]> {
  const allowed = await allowedPaths(session, options);
  if (outside.length === 0) return allowed;
  const flags = outside.slice(0, MAX_FILES).map(({ path }) => `--allow-file ${quoted(path)}`);
  const remedy = t('cli.outsideRemedy', { flags: flags.join(' ') });
  await agree(session.shell, t('start.sendOutside', { count: outside.length }), remedy);
  return [...allowed, ...outside.map(({ path }) => path)];
}

/** Resuming does not turn a folder into a project. */
function projectFolder({ shell }: Session, named: string): string {
  const path = resolve(shell.cwd, named);
  if (existsSync(join(path, '.dailies', 'project.json'))) return path;
  throw new UsageError(t('failure.notAProject', { path }), t('cli.notProjectFolderRemedy'));
}

/** `path`: the absolute folder of the one project to resume; null for all. */
async function whatIsLeft(
  session: Session,
  engine: CommandEngine,
  { path, reporter, window }: { path: string | null; reporter: Reporter; window: NightWindow | undefined },
): Promise<PreparedRun> {
  const { dataFolder } = session;
  const opened = path === null ? null : (await engine.api.projects.open(projectToOpen(session, path))).project;
  const scope = opened ? { projectId: opened.id } : {};
  if (window) {
    // Before anything is sent.
    const unfinished = viewDataFolder(dataFolder, ({ queries }) => queries.list({ ...scope, standing: 'unfinished' }));
    for (const batchId of new Set(unfinished.map((job) => job.batchId)))
      await engine.api.windows.change({ scope: { scope: 'batch', batchId }, window });
  }
  const watch = await engine.watch(scope, { resumePaused: true });
  // The batches of the project or of all, and where their files lie.
  const batches = viewDataFolder(dataFolder, ({ projects, batches: stored }) => {
    const wanted = projects
      .list()
      .filter(({ id }) => opened === null || id === opened.id)
      // Only the app and `dailies serve` have the service of such a project.
      .filter(({ id }) => engine.sharedBy !== null || isAccount(projects.service(id)));
    return new Map(
      wanted.flatMap(({ id, path: of }) => stored.list(id).map((batch) => [batch.id, batchFolder(of, batch)])),
    );
  });
  const known = watch.takes.filter(({ batchId }) => batches.has(batchId));
  const batchesWith = (...standings: readonly Standing[]): ReadonlySet<string> =>
    new Set(known.filter(({ standing }) => standings.includes(standing)).map(({ batchId }) => batchId));
  const left = batchesWith('unfinished');
  if (left.size === 0) reporter.say(t('cli.nothingLeft'));
  // What failed in a batch that is over is no progress.
  const open = batchesWith('unfinished', 'unknown');
  const takes = known.filter(({ batchId }) => open.has(batchId));
  const folders = [...left].map((batchId) => batches.get(batchId) ?? '');
  const title = opened ? t('projects.projectNamed', { project: plainText(opened.name) }) : t('common.allProjects');
  return { scope, title, folders, watch: { ...watch, takes } };
}
