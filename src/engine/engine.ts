import type { EngineEvent } from '../contract/events.ts';
import type { PauseReason } from '../contract/job.ts';
import type { ShotSpec } from '../contract/shot.ts';
import { planBatch, startBatch } from './batches/start-batch.ts';
import { BatchStore, type Batch } from './db/batch-store.ts';
import { JobQueries } from './db/job-queries.ts';
import { JobStore, type Job } from './db/job-store.ts';
import { openDatabase, type EngineDatabase } from './db/open.ts';
import { OutputStore } from './db/output-store.ts';
import { ProjectStore } from './db/project-store.ts';
import { ServiceStore } from './db/service-store.ts';
import { createDownloader } from './downloads/download.ts';
import { createPublisher } from './downloads/publish.ts';
import type { Engine, EngineOptions } from './engine-api.ts';
import { KeyMissingError, messageOf } from './errors.ts';
import { lockDataFolder, type InstanceLock } from './instance-lock.ts';
import { JobDesk } from './jobs/job-desk.ts';
import { Pacing } from './jobs/pacing.ts';
import { mayUseAsyncImages } from './jobs/planning.ts';
import { createRecipeWriter } from './jobs/recipe-writer.ts';
import { recover } from './jobs/recovery.ts';
import { Scheduler } from './jobs/scheduler.ts';
import { ServiceClients } from './jobs/service-clients.ts';
import type { StepContext } from './jobs/step-context.ts';
import { driverOf } from './kinds/index.ts';
import { writeBatchFile } from './projects/batch-file.ts';
import { createManifestWriter } from './projects/manifest.ts';
import { manifestOf } from './projects/manifest-rows.ts';
import { openProject } from './projects/open-project.ts';

/**
 * Takes the data folder, opens the database, puts right what the last engine left in the middle, and stands ready.
 * Nothing is sent before `queue.run`. Throws DataFolderInUseError, DatabaseError.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const lock = lockDataFolder(options.dataFolder, options.command, options.ports.clock.now());
  let db: EngineDatabase | null = null;
  try {
    db = openDatabase(options.dataFolder);
    return await compose(options, db, lock);
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}

async function compose({ ports, settings }: EngineOptions, db: EngineDatabase, lock: InstanceLock): Promise<Engine> {
  const jobs = new JobStore(db);
  const queries = new JobQueries(db);
  const batches = new BatchStore(db);
  const projects = new ProjectStore(db);
  const outputs = new OutputStore(db);
  const service = new ServiceStore(db);
  const clients = new ServiceClients(ports, settings);
  const downloader = createDownloader(ports);
  const stop = new AbortController();
  const listeners = new Set<(event: EngineEvent) => void>();
  const pacing = new Pacing(service, { ...settings.maxRate, upload: settings.maxRate.submit });
  const manifests = createManifestWriter({
    clock: ports.clock,
    logger: ports.logger,
    load: (batchId) => manifestOf({ batches, projects, queries }, batchId),
  });

  const tell = (event: EngineEvent): void => listeners.forEach((listener) => listener(event));
  const tellJob = (jobId: string): void => {
    if (listeners.size === 0) return;
    const job = queries.view(jobId);
    if (job) tell({ type: 'job', job });
  };
  const told = (job: Job): Job => {
    tellJob(job.id);
    return job;
  };

  const context: StepContext = {
    ports,
    settings,
    jobs,
    outputs,
    batches,
    projects,
    service,
    clients,
    downloader,
    publisher: createPublisher(),
    pacing,
    random: Math.random,
    stopping: stop.signal,
    advance: (job, event, also) => told(jobs.advance(job, event, ports.clock.now(), also)),
    intend: (job, attempt, request) => told(jobs.intend(job, attempt, request)),
    hold(job: Job, reason: PauseReason | null) {
      jobs.setPaused(job.id, reason, ports.clock.now());
      tellJob(job.id);
    },
    touchManifest: (batchId) => manifests.touch(batchId),
    writeRecipe: createRecipeWriter({ jobs, batches, projects, outputs }),
  };
  const scheduler = new Scheduler(context, stop, (status) => tell({ type: 'queue', status }));
  const desk = new JobDesk(context, queries, scheduler);
  const recovery = await recover(context);

  return {
    recovery,
    projects: {
      list: () => projects.list(),
      open: (path) => openProject({ projects, batches, jobs, outputs }, path, ports.clock),
    },
    batches: {
      list: (projectId) => batches.list(projectId),
      named: (projectId, name) => batches.named(projectId, name),
      plan: (projectId, name, shots) => planBatch(batches, projectId, name, shots),
      async start(request) {
        const starter = {
          batches,
          jobs,
          now: () => ports.clock.now(),
          nameTemplate: settings.nameTemplate,
          writeBatchFile: (batch: Batch, shots: readonly ShotSpec[]) =>
            writeBatchFile(request.project.path, { format: 1, ...batch, shots: [...shots] }),
        };
        const started = await startBatch(starter, request);
        manifests.touch(started.batch.id);
        scheduler.poke();
        return started;
      },
    },
    planRequest(shot, listFolder) {
      const account = clients.current();
      const asyncImages = account === null || mayUseAsyncImages(service, account, ports.clock.now());
      return driverOf(shot.kind).toRequest(shot, { settings, listFolder, assets: new Map(), asyncImages });
    },
    jobs: {
      list: (filter) => queries.list(filter),
      counts: (scope) => queries.counts(scope),
      retry: (jobId) => desk.retry(jobId),
      cancel: (jobId) => desk.cancel(jobId),
      resolve: (jobId, resolution) => desk.resolve(jobId, resolution),
      hold: (jobId, reason) => desk.hold(jobId, reason),
    },
    queue: {
      run: (scope) => scheduler.run(scope),
      settled: () => scheduler.settled(),
      pause: () => scheduler.setPaused(true),
      resume: () => scheduler.setPaused(false),
      status: () => scheduler.status(),
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async models() {
      const account = clients.current();
      const client = account && clients.forAccount(account);
      if (!client) throw new KeyMissingError();
      return (await client.models.list()).map((model) => model.id);
    },
    async stop() {
      await scheduler.drain();
      await desk.finished();
      await manifests.flush();
      await Promise.all([clients.close(), downloader.close()]);
      saveRates();
      db.close();
      lock.release();
    },
  };

  function saveRates(): void {
    try {
      pacing.save();
    } catch (error) {
      // Only what was learned about speed is lost, and the reason the database fails was told already.
      ports.logger.warn('Learned rates could not be kept', { reason: messageOf(error) });
    }
  }
}
