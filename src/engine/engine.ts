import { createNightWindows } from './jobs/night-windows.ts';
import { createNights } from './nights/nights.ts';
import { createWaitRecorder } from './nights/wait-recorder.ts';
import { SpendingService } from './projects/spending.ts';
import { isDeepStrictEqual } from 'node:util';
import { accountsIn, accountWithId, serviceOfAccount, settingsOn } from '../contract/accounts.ts';
import { toVariables } from '../contract/prompt-library.ts';
import { openDrafts } from './commands/drafts.ts';
import { filmFrame, wantedFrames } from './jobs/planning.ts';
import { openReview, type StudioJudgement, type TakeFile } from './review/review.ts';
import { createRecipeNotes, createRecipeWriter } from './jobs/decision-notes.ts';
import { openViews } from './queries/views.ts';
import { startsBatches } from './commands/batch-starts.ts';
import { createBatchFiles } from './batches/written-list.ts';
import { DraftRepository } from './batches/draft-repository.ts';
import { planBatch } from './batches/plan-start.ts';
import { type PriceFacts, priceFor } from './batches/price.ts';
import { JobQueries } from './db/job-queries.ts';
import { MICROS } from './db/ledger-store.ts';
import type { Account } from './db/service-store.ts';
import { damageFor, openDatabase, type EngineDatabase } from './db/open.ts';
import { closeToOthers } from './db/private-folder.ts';
import { CommandRunner } from './run-command.ts';
import { openStores } from './db/stores.ts';
import { openTrash } from './review/trash/trash.ts';
import { createDownloader } from './downloads/download.ts';
import { createPublisher } from './downloads/publish.ts';
import type { Settings } from '../contract/settings.ts';
import type { GivenVerdict, VerdictField } from '../contract/verdict.ts';
import type { ShotSpec } from '../contract/shot.ts';
import type { Ports } from './base/ports.ts';
import type { ServiceAccess } from './api/service-clients.ts';
import { createCoalescedWriter } from './base/coalesced-writer.ts';
import { KeyMissingError, toMessage } from './base/errors.ts';
import { lockDataFolder, type InstanceLock } from './base/instance-lock.ts';
import { createDatabaseBackoff } from './jobs/gates.ts';
import { createJobCommands } from './jobs/job-commands.ts';
import { createExpectedEnds } from './jobs/expected-work.ts';
import { catchUp, recover, recoverAnswers, takeProjectsBehind, type RecoveryReport } from './jobs/recovery.ts';
import { lookAtFiles } from './jobs/saved-files.ts';
import { RunningSteps } from './jobs/service-queues.ts';
import { createResultHosts } from './jobs/result-hosts.ts';
import { createScheduler, type Scheduler } from './jobs/scheduler.ts';
import { apart, requireOurs, type StudioDesk, type StudioPorts } from './jobs/studio-ports.ts';
import { ServiceClients } from './api/service-clients.ts';
import type { StepContext } from './jobs/step-context.ts';
import { framePlace, Frames } from './library/frames.ts';
import { readFrame } from './kinds/shot-reference.ts';
import { isUnsent } from '../contract/job.ts';
import type { Job } from './db/job-store.ts';
import { lookAtWaits, needsOther, showWait } from './jobs/waits.ts';
import { composeLibrary } from './library/library.ts';
import { type ListedModel, ListedModels } from './models/index.ts';
import { createEngineEvents } from './jobs/engine-events.ts';
import { writeArrangement } from './projects/arrangement.ts';
import { writeCuts } from './projects/cut-files.ts';
import { createManifestWriter, manifestFor } from './projects/manifest.ts';
import { ToolRunner } from './tools/tool-runner.ts';
import { composeTools } from './tools/tools.ts';
import { projectFolders, ProjectClaims } from './projects/project-claims.ts';
import { settleRenames } from './projects/rename-project.ts';
import { OutputFacts } from './jobs/output-facts.ts';
import { createLimitFiles, noteFound } from './projects/limits.ts';

export interface EngineOptions {
  /** Database, lock, logs. Created when absent. */
  readonly dataFolder: string;
  /** The id of this machine; without one, its name tells it from others. */
  readonly machine?: string | undefined;
  readonly settings: Settings;
  /** The settings when another program has changed them since the last call, else null. Asked before each charge. */
  readonly changedSettings?: () => Settings | null;
  readonly ports: Ports;
  /** What holds the data folder, for the message a second engine gets: `dailies run`. */
  readonly command: string;
  /** How long a write waits for another program's lock on the database, ms. */
  readonly lockWaitMs?: number;
}

const pricesIn = ({ prices, accounts }: Settings) => [prices, ...accounts.map((account) => account.prices)];

export type Engine = Awaited<ReturnType<typeof compose>>;
export type StartEngine = (options: EngineOptions) => Promise<Engine>;

/**
 * Claims the data folder, opens the database and repairs unfinished work of the last engine. Nothing is sent before
 * `queue.run`. Throws DataFolderInUseError, DatabaseError.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { dataFolder, command, machine } = options;
  const lock = lockDataFolder(dataFolder, command, options.ports.clock.now(), machine);
  let db: EngineDatabase | null = null;
  try {
    db = openDatabase(dataFolder, options.lockWaitMs);
    await closeToOthers(dataFolder, options.ports.logger);
    return await compose(options, db, lock);
  } catch (error) {
    db?.close();
    lock.abandon();
    throw damageFor(error, dataFolder) ?? error;
  }
}

/**
 * The parts of an engine, each made from those above it. One that tells a part below it has a hook, which is set once all
 * are there. Only the steps and their scheduler know each other.
 */
async function compose(options: EngineOptions, db: EngineDatabase, lock: InstanceLock) {
  const { ports } = options;
  const { clock, logger } = ports;
  let { settings } = options;
  const stop = new AbortController();
  const events = createEngineEvents(new JobQueries(db));
  const stores = openStores(db, () => events.emit({ type: 'library' }));
  const { jobs, queries, tally, batches, projects, ledger, service } = stores;
  ledger.accountName = (id) => accountWithId(settings, id || null)?.name ?? '';

  const clients = new ServiceClients(ports, service, jobs.tasksInFlight, () => settings);
  const listedModels = new ListedModels();
  const downloader = createResultHosts(createDownloader(ports), service, clock);
  const launched = new RunningSteps();
  const claimant = { dataFolder: options.dataFolder, run: lock.run, machine: options.machine };
  const claims = new ProjectClaims(claimant, stores, clock, (takeId) => launched.isRunning(takeId));

  let studio = apart(stores, clock);
  let desk: StudioDesk | null = null;
  const isWriter = (projectId: string): boolean => studio.isWriter(projectId);
  const manifests = createManifestWriter(ports, (batchId) =>
    isWriter(batches.get(batchId)?.projectId ?? '') ? manifestFor(stores, batchId) : null,
  );
  const arrangements = createCoalescedWriter({
    ...{ clock, logger, what: 'arrangement' },
    async write(projectId) {
      const project = claims.writable(projectId);
      // Written when the project is claimed again.
      if (!project || !isWriter(projectId)) return;
      await writeArrangement(stores, project, clock.now());
      await writeCuts(stores, project);
    },
  });
  const limitFiles = createLimitFiles({
    ...{ stores, clock, logger, isWriter, writable: claims.writable },
    claim: (projectId) => (claims.taken.has(projectId) ? Promise.resolve() : claims.claimIfThere(projectId)),
  });
  const repository = new DraftRepository(() => projects.list(), logger);
  const batchFiles = createBatchFiles(stores, logger, async (project, before, name) => {
    for (const { id: draftId } of await repository.renameBatch(project, before, name)) {
      events.emit({ type: 'draft', projectId: project.id, draftId });
    }
  });

  const spending = new SpendingService(stores, limitFiles, ports, () => settings);
  const nightWindows = createNightWindows(stores.windows, limitFiles, clock);
  const { library, preparer, ...libraryWork } = composeLibrary({
    ports,
    get settings() {
      return settings;
    },
    ...{ clients, assets: stores.assets, media: stores.media, uploads: stores.uploads, uses: stores.uses },
    stopping: stop.signal,
  });

  const context: StepContext = {
    ...stores,
    ...{ ports, dataFolder: options.dataFolder, clients, downloader, claims, preparer, limitFiles, nightWindows },
    frames: new Frames(ports.ffmpeg, stop.signal),
    facts: new OutputFacts(stores.outputs, stop.signal, ({ jobId, batchId }) => {
      events.job(jobId);
      manifests.touch(batchId);
    }),
    get settings() {
      return settings;
    },
    get studio() {
      return studio;
    },
    get desk() {
      return desk;
    },
    requireOurs: (job) => requireOurs(stores, studio, clock, job),
    publisher: createPublisher(),
    stopping: stop.signal,
    databaseBackoff: createDatabaseBackoff(),
    textsOf: (projectId) => toVariables(stores.variables.list(projectId)),
    capsNear: () => spending.near(),
    pricesInForce() {
      takeChangedSettings();
      return spending.settled();
    },
    maySend: (job) => scheduler.holds.maySend() && !nightWindows.isClosedFor(job),
    notePace: (job, isSlow) => scheduler.notePace(job.id, isSlow),
    advance(job, event, also) {
      const next = jobs.advance(job, event, clock.now(), also);
      scheduler.noteEvent(job, event);
      if (job.state.state === 'submitting') limitFiles.touch(job.projectId);
      events.job(job.id);
      // Another take of its shot may count from now on.
      if ((next.state.state === 'saved') !== (job.state.state === 'saved')) context.sourcesChanged([job]);
      return next;
    },
    intend(job, attempt, request, price) {
      const sent = jobs.intend(job, attempt, request, () => {
        stores.sources.pin(job.id, attempt.id);
        spending.reserve(attempt.id, price, attempt.intendedAt);
      });
      limitFiles.touch(job.projectId);
      events.job(job.id);
      return sent;
    },
    hold(job, reason) {
      jobs.setPaused(job.id, reason, clock.now());
      events.job(job.id);
    },
    prioritise(job, priority) {
      jobs.setPriority(job.id, priority, clock.now());
      events.job(job.id);
    },
    touchManifest: (batchId) => manifests.touch(batchId),
    sourcesChanged(shots) {
      const users = stores.sources.usersOf(shots);
      events.jobs(users.map(({ id }) => id));
      for (const batchId of new Set(users.map((user) => user.batchId))) manifests.touch(batchId);
    },
    decided: (job) => notes.decided(job),
    writeRecipe: createRecipeWriter(
      stores,
      (id) => claims.claim(id),
      (job) => context.requireOurs(job),
    ),
  };
  const notes = createRecipeNotes(context);
  const trash = openTrash(context, manifests, (projectId, takeIds) => {
    events.jobs(takeIds);
    context.sourcesChanged(takeIds.flatMap((id) => jobs.get(id) ?? []));
    events.emit({ type: 'project', projectId });
  });
  const waitRecorder = createWaitRecorder(
    stores.spans,
    clock,
    logger,
    () => tally.counts({}).unfinished,
    (batchId) => batches.get(batchId)?.projectId,
  );
  const expected = createExpectedEnds(context);
  const scheduler = createScheduler(context, launched, stop, expected, (status) => {
    waitRecorder.gates(status.gates);
    events.emit({ type: 'queue', status });
  });
  /** Address, limits, rates and prices hold from the next request on. */
  function updateSettings(changed: Settings): void {
    const before = settings;
    settings = changed;
    clients.settingsChanged(before);
    if (!isDeepStrictEqual(accountsIn(changed), accountsIn(before))) scheduler.addressChanged();
    if (changed.minFreeBytes !== before.minFreeBytes) scheduler.lookAtDisks();
    if (!isDeepStrictEqual(pricesIn(changed), pricesIn(before))) spending.beginRepricing('all');
    // Another limit may leave room for more.
    scheduler.lookAgain();
    events.emit({ type: 'settings' });
  }
  function takeChangedSettings(): void {
    const changed = options.changedSettings?.();
    if (changed) updateSettings(changed);
  }
  const nights = createNights(
    stores,
    clock,
    () => settings,
    () => scheduler.state().is === 'going',
  );
  const jobCommands = createJobCommands(context, queries, scheduler, notes.decisionsWritten);

  spending.onChange = () => {
    scheduler.capsChanged();
    events.emit({ type: 'settings' });
  };
  nightWindows.onChange = () => {
    scheduler.lookAgain();
    events.emit({ type: 'settings' });
  };
  claims.onLimits = (projectId, limits) => {
    const { currency } = settings;
    const texts = limits.map((limit) => noteFound(stores, limit, { currency, at: clock.now() }));
    // What the folder says may be older than what is decided here.
    limitFiles.changed(projectId);
    if (limits.length > 0) {
      nightWindows.reread();
      for (const { scope } of limits) spending.capChanged(scope);
      spending.onChange();
    }
    return texts;
  };
  const caughtUp = new Set<string>();
  claims.onTaken = async (projectId, changed) => {
    arrangements.touch(projectId);
    for (const batchId of changed) manifests.touch(batchId);
    if (isWriter(projectId)) await batchFiles.writeBehind(projectId);
    await recoverAnswers(context, projectId);
    await trash.complete(projectId);
    const project = projects.get(projectId);
    if (project) context.facts.readMissing(projectId, project.path);
    // Not waited for: one of them may be what takes the project.
    notes.writeDecisions(projectId);
    if (lock.behindSince !== null && !caughtUp.has(projectId)) {
      caughtUp.add(projectId);
      await catchUp(context, projectId, lock.behindSince);
    }
    if (changed.size > 0) {
      events.emit({ type: 'many' });
      spending.beginRepricing('new');
      // A cap in money is checked by prices.
      await spending.settled();
    }
    events.emit({ type: 'project', projectId });
  };

  await settleRenames(stores, logger);
  const recovered = await recover(context);
  await takeProjectsBehind(context, { since: lock.behindSince, unknown: recovered.unknownSubmits });
  // A project folder may say what became of a submit that the database knows nothing more of.
  const unknownSubmits = recovered.unknownSubmits.filter((id) => jobs.get(id)?.state.state === 'submit_unknown').length;
  const recovery: RecoveryReport = { ...recovered, unknownSubmits };

  const looked = Promise.all(
    projects.list().map(({ id, path }) =>
      lookAtFiles(context, { projectId: id }).catch((error: unknown) => {
        logger.warn('The files of a project could not be looked at', { path, reason: toMessage(error) });
      }),
    ),
  );

  const views = openViews(context, scheduler, library);
  const toolRunner = new ToolRunner(context, stores.tools, (call) => {
    spending.reserveCall(call);
    if (call.projectId !== null) limitFiles.touch(call.projectId);
  });
  await toolRunner.recover();
  const tools = composeTools(toolRunner, context, views.library);

  const start = startsBatches(context, spending, scheduler, events, arrangements);
  const folderWritten = (): Promise<unknown> =>
    Promise.all([notes.written(), manifests.flush(), arrangements.flush(), limitFiles.flush()]);
  const drafts = openDrafts(context, repository, views.library, listedModels, expected, spending, events, start);
  notes.writeVerdicts();
  /** Rows wait for picks, and use frames by marks: each verdict may end or begin a wait, or make a take stale. */
  function followVerdicts(given: readonly GivenVerdict[]): void {
    const withField = (...fields: VerdictField[]) =>
      given.flatMap(({ takeId, changed }) =>
        fields.some((field) => changed.includes(field)) ? (jobs.get(takeId) ?? []) : [],
      );
    for (const batchId of new Set(withField('marks', 'notes').map((job) => job.batchId))) manifests.touch(batchId);
    context.sourcesChanged(withField('flag', 'marks'));
    const judged = withField('flag');
    if (judged.length === 0) return;
    scheduler.lookAgain();
    for (const [projectId, takes] of Map.groupBy(judged, (take) => take.projectId)) {
      lookAtWaits(context, { projectId }, takes).catch((error: unknown) => {
        // The steps look at each take before it is sent.
        logger.warn('Rows that wait could not be looked at', { project: projectId, reason: toMessage(error) });
      });
    }
  }
  const takeReview = openReview(context, {
    scores: (projectId, near) => tools.meaning.scores(projectId, near),
    judged(verdictsGiven) {
      notes.writeVerdicts();
      events.verdicts(verdictsGiven);
      followVerdicts(verdictsGiven);
    },
    added(take) {
      events.job(take.id);
      events.emit({ type: 'batches', projectId: take.projectId });
      scheduler.lookAgain();
    },
  });
  for (const id of projects.archived()) void scheduler.holdProject(id, 0);
  if (ledger.hasUnpriced() && pricesIn(settings).flat().length > 0) spending.beginRepricing('all');

  const folders = projectFolders({
    ...{ steps: context, written: folderWritten },
    serviceChanged: () => spending.beginRepricing('all'),
    async opened(projectId) {
      await lookAtFiles(context, { projectId });
      scheduler.lookAtDisks();
    },
  });
  const commands = new CommandRunner({
    ...context,
    get settings() {
      return settings;
    },
    ...{
      folderWritten,
      scheduler,
      spending,
      jobCommands,
      takeReview,
      trash,
      tools,
      views,
      drafts,
      folders,
      batchFiles,
    },
    nightReports: nights,
    changed(what, projectId) {
      if (what === 'settings') events.emit({ type: 'settings' });
      else if (projectId !== null) events.emit({ type: what, projectId });
      if (projectId !== null) arrangements.touch(projectId);
    },
  });
  return {
    recovery,
    /** What people can change: see `contract/commands` and `CommandRunner`. */
    commands: commands as Pick<CommandRunner, 'run' | 'undo'>,
    stores,
    library,
    tools,
    views,
    drafts,
    review: takeReview,
    trash,
    spending,
    windows: nightWindows,
    nights,
    /** Call this about once a minute, for what no event announces. `isAtWork`: something progresses automatically. */
    beat(isAtWork: boolean): void {
      scheduler.lookAtClock();
      takeChangedSettings();
      waitRecorder.beat(isAtWork);
    },
    places: stores.places,
    updateSettings,
    takeChangedSettings,
    keyChanged(): void {
      jobs.clearPauses('key_refused');
      jobs.clearPauses('other_key');
      events.emit({ type: 'many' });
      scheduler.keyChanged();
    },
    announce: lock.announce,
    /** Makes a built-in service known under a name, for the projects that are on it; its key goes nowhere else. */
    useService(name: string, access: ServiceAccess): void {
      clients.use(name, access);
      scheduler.lookAgain();
    },
    /** Works for a studio from now on; see `src/studio`. Without it, nothing of a studio's project is sent. */
    studio: {
      join(joined: StudioPorts): void {
        studio = joined;
        scheduler.lookAgain();
      },
      /** What it seemed to be is forgotten: another studio may be joined. */
      leave(): void {
        studio = apart(stores, clock);
        desk = null;
        jobs.studio.forgetSeen();
        scheduler.lookAgain();
      },
      /** Jobs of these takes are others now, without an event of their own. */
      changed(projectId: string, takeIds: readonly string[]): void {
        events.jobs(takeIds);
        for (const batchId of new Set(takeIds.map((id) => jobs.get(id)?.batchId))) {
          if (batchId !== undefined) manifests.touch(batchId);
        }
        events.emit({ type: 'batches', projectId });
        scheduler.lookAgain();
      },
      /** What people elsewhere in the studio think of takes. */
      judged: (projectId: string, given: readonly StudioJudgement[]) => takeReview.judgedElsewhere(projectId, given),
      lookAgain: () => scheduler.lookAgain(),
      /** Whether an unsent take waits for another shot or a person; the take says so itself. */
      lookAtWait(job: Job): boolean {
        const spec = batches.shot(job.shotId)?.spec;
        return (
          spec !== undefined &&
          isUnsent(job.state) &&
          (showWait(context, job, spec) !== null || needsOther(context, job, spec))
        );
      },
      /** Whose requests those of a project are; null without its key. */
      account: (projectId: string) => clients.currentIfAny(projects.service(projectId)),
      /** Each account that this machine has the key of, with its service. */
      accounts: () =>
        accountsIn(settings).flatMap(({ id }) => {
          const service = serviceOfAccount(id);
          const account = clients.currentIfAny(service);
          return account ? [{ service, account }] : [];
        }),
      queues: (account: Account) => clients.queues(account),
      /** In millionths, by the prices of the project's account; null where none is known. */
      priceOf(projectId: string, facts: PriceFacts): number | null {
        const { prices } = settingsOn(settings, projects.service(projectId));
        const price = priceFor(facts, clock.now(), prices);
        return price === null ? null : Math.round(price * MICROS);
      },
      claim: (projectId: string) => claims.claim(projectId),
      drain: () => scheduler.drain(),
      /** Writes down whose a take is now, so that its earlier machine publishes nothing even where it hears nothing. */
      async fence(takeId: string): Promise<void> {
        const job = jobs.get(takeId);
        if (job) await context.writeRecipe(job);
      },
      /** Hands lists to the studio; null while no studio is joined. */
      get desk() {
        return desk;
      },
      set desk(joined: StudioDesk | null) {
        desk = joined;
      },
    },
    projects: folders,
    batches: {
      plan: (projectId: string, name: string, shots: readonly ShotSpec[]) => planBatch(batches, projectId, name, shots),
      /** Stores a list, and makes jobs of its new and changed shots. Sends nothing. See `startsBatches`. */
      start,
      written: () => manifests.flush(),
    },
    jobs: jobCommands,
    /** Frames of films. `text` names one as a reference does: `last`, `48f`. */
    frames: {
      wanted: () => wantedFrames(context),
      /** The picture of a frame, as a file of its take; null where there is none and none can be made. */
      async file(takeId: string, number: number, text: string): Promise<TakeFile | null> {
        const [film, frame] = [takeReview.file(takeId, number), readFrame(text)];
        if (!film || !frame) return null;
        const mayMake = claims.writable(film.projectId) !== null;
        const ofFilm = filmFrame(context, takeId, number, frame);
        const made = await context.frames.frameOf(film.project, film.output, ofFilm, mayMake);
        if (made.type !== 'found') return null;
        const { names } = framePlace(film.project, film.output.sha256, made.number);
        const picture = { file: names.join('/'), sha256: made.sha256, bytes: made.bytes, format: 'png' as const };
        return { ...film, output: { ...film.output, ...picture } };
      },
      /** Takes the picture of a frame that a window has read. False where it is none. */
      async give(takeId: string, number: number, text: string, given: { number: number; picture: Buffer }) {
        const [film, frame] = [takeReview.file(takeId, number), readFrame(text)];
        if (!film || !frame || claims.writable(film.projectId) === null) return false;
        const ofFilm = filmFrame(context, takeId, number, frame);
        const isKept = await context.frames.give(film.project, film.output, ofFilm, given.number, given.picture);
        if (isKept) jobs.due.wakeForFrames();
        scheduler.lookAgain();
        return isKept;
      },
    },
    queue: scheduler as Pick<Scheduler, 'run' | 'settled' | 'follow' | 'pause' | 'resume' | 'rest' | 'wake' | 'status'>,
    subscribe: events.subscribe,
    /** The models an account may use (`GET /v1/models`). Throws an api error. */
    async models(accountId: string | null = null): Promise<readonly ListedModel[]> {
      const account = clients.current(serviceOfAccount(accountId));
      const client = account && clients.forAccount(account);
      if (!client) throw new KeyMissingError();
      const models = await client.models.list();
      listedModels.saw(account, models);
      return models;
    },
    /**
     * Starts nothing more, lets running submits finish (they are paid for), cuts polls and downloads short, writes the
     * manifests, closes the database and frees the data folder.
     */
    async stop(): Promise<void> {
      await scheduler.drain();
      await libraryWork.settled();
      await context.facts.settled();
      await notes.stop();
      await looked;
      await trash.turns.settled();
      await spending.settled();
      await drafts.stop();
      await Promise.all([manifests.flush(), arrangements.flush(), limitFiles.flush()]);
      await Promise.all([clients.close(), downloader.close()]);
      waitRecorder.stop();
      db.close();
      lock.release();
    },
  };
}
