import type { Session } from '../session.ts';
import { createFileLogger } from '../../host/log-file.ts';
import { settingsStore } from '../../host/settings-file.ts';
import { logFileOf } from '../../host/data-folder.ts';
import type { Logger } from '../../engine/base/ports.ts';
import { systemDisk } from '../../engine/files/disk.ts';
import { machineId } from '../../host/machine-id.ts';
import { NightReports } from '../../host/night-reports.ts';
import { NightMessages } from '../../host/messages/night-messages.ts';
import { proxiesOf } from '../../engine/api/proxies.ts';
import type { Settings } from '../../contract/settings.ts';
import type { JobView } from '../../contract/job.ts';
import type { Text } from '../../contract/messages/message.ts';
import type { Settled } from '../../engine/jobs/scheduler.ts';
import type { RunEnd } from '../../contract/run.ts';
import type { Engine } from '../../engine/engine-api.ts';
import type { Scope } from '../../engine/db/job-store.ts';
import { RunProgress } from '../../server/runs/run-end.ts';
import { projectOfRun, startRun } from '../../server/runs/start-run.ts';
import type { CommandEngine, ListStart, StartedList, Watch, Action } from './command-engine.ts';
import { stayAwake } from '../stay-awake.ts';
import { sayOn, stoppingLine } from '../output/words.ts';

/** An engine of this process, for commands. */
export function ownEngine(engine: Engine): CommandEngine {
  return {
    sharedBy: null,
    recovery: engine.recovery,
    library: {
      ...engine.library,
      createGroup: async (fields) => given(await engine.commands.run('library.createGroup', fields, 'command')),
      renameGroup: async (groupId, fields) =>
        given(await engine.commands.run('library.renameGroup', { groupId, ...fields }, 'command')),
      hide: (assetId, hidden) => engine.commands.run('library.hide', { assetId, hidden }, 'command'),
    },
    tools: {
      rewrite: (request, signal) => engine.tools.prompts.rewrite(request, signal),
      shots: (request, signal) => engine.tools.prompts.shots(request, signal),
      search: (request, signal) => engine.tools.research.search(request, signal),
      readPage: (request, signal) => engine.tools.research.readPage(request, signal),
      describe: (request, signal) => engine.tools.describe.describe(request, signal),
      index: (request, signal) => engine.tools.meaning.index(request, signal),
      nearest: (request, signal) => engine.tools.meaning.search(request, signal),
      used: (callId) => engine.tools.runner.markUsed(callId),
    },
    takes: {
      details: (takeId) => engine.review.details(takeId),
      estimate: (wanted) => engine.review.estimate(wanted),
      trashPlan: (takeIds) => engine.trash.plan(takeIds),
    },
    run: (name, input) => engine.commands.run(name, input, 'command'),
    openProject: async (path) => projectOfRun(await engine.projects.open(path, 'command')),
    startList: (start, signal) => startList(engine, start, signal),
    watch: (scope, { resumePaused }) => Promise.resolve(watch(engine, scope, resumePaused)),
    batches: {
      duplicate: ({ id, projectId }, copyAs) =>
        engine.drafts.open(projectId, { type: 'batch', batchId: id, copyAs }, {}, 'command'),
    },
    async ask(jobs, action) {
      const refused = await refusedBy(
        engine,
        jobs.map(({ id }) => id),
        action,
      );
      return jobs.map(({ id }) => {
        const problem = refused.get(id);
        const job = engine.views.job(id) as JobView;
        return problem === undefined ? { ok: true, job } : { ok: false, job, problem };
      });
    },
  };
}

/** What a command answers that always changes something. */
export const given = <Result>(done: { readonly result: Result } | null): Result =>
  (done as { readonly result: Result }).result;

/** Why jobs were refused, by their ids. */
async function refusedBy(engine: Engine, ids: string[], action: Action): Promise<ReadonlyMap<string, Text>> {
  const { commands } = engine;
  const all =
    action.action === 'resolve'
      ? await Promise.all(
          ids.map((jobId) => commands.run('jobs.resolve', { jobId, resolution: action.resolution }, 'command')),
        )
      : [await commands.run(`jobs.${action.action}`, { ids }, 'command')];
  return new Map(all.flatMap((done) => done?.result.refused ?? []).map(({ job, problem }) => [job.id, problem]));
}

async function startList(
  engine: Engine,
  { list, project: path, batch: name, again, keepOthers, agreed, paidAgain, cap, window, order }: ListStart,
  signal: AbortSignal,
): Promise<StartedList> {
  const { listFolder, source, checked } = list;
  const { shots, rows, texts } = checked;
  const started = await startRun(engine, path, {
    name,
    listFolder,
    source,
    shots,
    rows,
    texts,
    again,
    keepOthers,
    agreed,
    paidAgain,
    cap,
    window,
    order,
    by: 'command',
    signal,
  });
  const scope = { projectId: started.project.id, batchId: started.batch.id };
  return { started, watch: ({ resumePaused }) => Promise.resolve(watch(engine, scope, resumePaused)) };
}

function watch(engine: Engine, scope: Scope, resumePaused: boolean): Watch {
  const takes = engine.jobs.list({ ...scope, current: true });
  return {
    takes,
    async go(hear) {
      const progress = new RunProgress(takes);
      engine.subscribe((event) => {
        if (event.type === 'job') progress.update(event.job);
        // A project folder that was taken may have changed many at once.
        const changed = event.type === 'many' ? progress.refresh(engine.jobs.list(scope)) : null;
        if (changed) for (const job of changed) hear({ type: 'job', job });
        else hear(event);
      });
      if (resumePaused) await engine.commands.run('queue.resume', {}, 'command');
      const paused = engine.queue.status().gates.find(({ reason }) => reason === 'paused_by_user');
      // No window can resume it here.
      if (paused) return { type: 'halted', gate: paused };
      engine.queue.run(scope);
      return endOf(await engine.queue.settled());
    },
    whenPaused: null,
    farewell: () => stoppingLine(engine.queue.status().underWay.submit),
  };
}

const endOf = (settled: Settled): RunEnd =>
  settled.type === 'halted' ? { type: 'halted', gate: settled.gate } : { type: 'done' };

export interface EngineNeeds {
  readonly settings: Settings;
  readonly apiKey: string | null;
  /** The name that others see for the holder of the data folder: `dailies run`. */
  readonly command: string;
}

/** Starts an engine on the session's data folder, works with it, and always stops it. */
export async function withEngine<Result>(
  session: Session,
  { settings, apiKey, command }: EngineNeeds,
  work: (engine: Engine) => Result | Promise<Result>,
): Promise<Result> {
  const { clock, env, startEngine } = session.shell;
  const logger = loggerOf(session, apiKey);
  const routesTo = proxiesOf(env);
  const live = settingsStore(session.dataFolder, settings);
  const engine = await startEngine({
    dataFolder: session.dataFolder,
    machine: machineId(session.shell),
    settings,
    changedSettings: () => live.changedElsewhere(),
    command,
    ports: {
      clock,
      logger,
      secrets: { apiKey: () => apiKey },
      random: Math.random,
      disk: systemDisk(session.shell.platform, clock),
      sayAtOnce: sayOn(session.shell),
      routesTo,
    },
  });
  const awake = await stayAwake(session);
  const night = new NightMessages({
    machine: session.shell,
    settings: () => live.get(),
    routesTo,
    notify: null,
    engine,
    logger,
    reports: new NightReports({ engine, dataFolder: session.dataFolder, clock, logger }),
    goesOn: (goesOn) => awake.need(goesOn),
  });
  night.follow();
  try {
    return await work(engine);
  } finally {
    await night.lookOnceMore();
    await Promise.all([engine.stop(), night.stop()]).finally(() => awake.need(false));
  }
}

/** The log of a session, with the key removed from every line. */
export function loggerOf({ dataFolder }: Session, apiKey: string | null): Logger {
  return createFileLogger(logFileOf(dataFolder), (line) => (apiKey === null ? line : line.replaceAll(apiKey, '[key]')));
}
