import { say } from '../../contract/messages/words.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import { given } from './own-engine.ts';
import type { JobAnswer } from '../../engine/jobs/job-commands.ts';
import type { JobView } from '../../contract/job.ts';
import { callOf } from '../../contract/commands/index.ts';
import type { RunProgressEvent } from '../../contract/run.ts';
import { viewDataFolder } from '../read-only-view.ts';
import type { ReadList } from '../read-list.ts';
import { type Session, commandLine } from '../session.ts';
import type { Connection } from './connection.ts';
import { EngineGoneError, inWords, SharedRefusal } from './shared-errors.ts';
import type { CommandEngine, ListStart, Watch, Action, CommandLibrary } from './command-engine.ts';
import type { AssetFilter, LibraryAsset } from '../../contract/asset.ts';

/** This command started nothing, so it repaired nothing. */
const nothingRecovered: RecoveryReport = { unknownSubmits: 0, recoveredAnswers: 0, interruptedImports: [] };
/** Jobs requested in one call. */
const JOBS_AT_ONCE = 5000;

/** The engine of another process, for commands. Its methods throw what `Connection.ask` throws. */
export function sharedEngine(session: Session, connection: Connection): CommandEngine {
  const { holder } = connection;
  const signal = session.interrupted;
  return {
    sharedBy: holder,
    recovery: nothingRecovered,
    library: sharedLibrary(connection),
    tools: {
      rewrite: (request) => connection.ask((api) => api.tools.rewrite(request, { signal })),
      shots: (request) => connection.ask((api) => api.tools.shots(request, { signal })),
      search: (request) => connection.ask((api) => api.tools.search(request, { signal })),
      readPage: (request) => connection.ask((api) => api.tools.readPage(request, { signal })),
      describe: (request) => connection.ask((api) => api.tools.describe(request, { signal })),
      index: (request) => connection.ask((api) => api.tools.index(request, { signal })),
      nearest: (request) => connection.ask((api) => api.tools.nearest(request, { signal })),
      used: (callId) => connection.ask((api) => api.tools.used({ callId })),
    },
    takes: {
      details: (takeId) => connection.ask((api) => api.takes.details({ takeId })),
      estimate: (wanted) => connection.ask((api) => api.takes.estimate(wanted)),
      trashPlan: (takeIds) => connection.ask((api) => api.takes.trashPlan({ ids: [...takeIds] })),
    },
    run: (name, input) => connection.ask((api) => callOf(api, name)(input)),
    async openProject(path) {
      const { project, ...found } = await connection.ask((api) => api.projects.open({ path }));
      return { id: project.id, name: project.name, path: project.path, ...found };
    },
    async startList(start) {
      const news = connection.listen(await connection.ask((api) => api.runs.start(listToRun(start), { signal })));
      const first = await nextOf(news, connection);
      if (first.type !== 'started') throw new EngineGoneError(holder);
      const { type: _, ...started } = first;
      return { started, watch: () => watch(session, connection, news) };
    },
    async watch(scope, { resumePaused }) {
      if (resumePaused) await connection.ask((api) => api.queue.resume());
      const news = connection.listen(await connection.ask((api) => api.runs.follow(scope, { signal })));
      return watch(session, connection, news);
    },
    batches: {
      duplicate: ({ id: batchId, projectId }, copyAs) =>
        connection.ask((api) => api.drafts.open({ projectId, source: { type: 'batch', batchId, copyAs } })),
    },
    ask: (jobs, action) => askOf(session, connection, jobs, action),
  };
}

function listToRun({ list, project, batch, again, keepOthers, agreed, paidAgain, cap, window, order }: ListStart) {
  const { listFolder, source, bytes, read, variables } = list;
  return {
    project,
    batch,
    listFolder,
    source,
    again,
    keepOthers,
    agreed: [...agreed],
    paidAgain,
    cap,
    window,
    order,
    variables: Object.fromEntries(variables),
    ...read,
    content: contentOf(bytes),
  };
}

const contentOf = (bytes: ReadList['bytes']): string => Buffer.from(bytes).toString('base64');

async function nextOf(
  news: AsyncGenerator<RunProgressEvent, void, void>,
  { holder }: Connection,
): Promise<RunProgressEvent> {
  const { done, value } = await news.next();
  if (done === true) throw new EngineGoneError(holder);
  return value;
}

async function watch(
  { options }: Session,
  connection: Connection,
  news: AsyncGenerator<RunProgressEvent, void, void>,
): Promise<Watch> {
  const takes: JobView[] = [];
  for (;;) {
    const message = await nextOf(news, connection);
    if (message.type !== 'takes') throw new EngineGoneError(connection.holder);
    takes.push(...message.takes);
    if (message.last) break;
  }
  return {
    takes,
    async go(hear) {
      for await (const message of news) {
        if (message.type === 'events') message.events.forEach(hear);
        if (message.type === 'ended') return message.end;
      }
      throw new EngineGoneError(connection.holder);
    },
    whenPaused: say('cli.whenPaused', { command: commandLine(options, 'resume') }),
    farewell: () => say('cli.farewell', { other: inWords(connection.holder), command: commandLine(options, 'status') }),
  };
}

async function askOf(
  { dataFolder }: Session,
  connection: Connection,
  jobs: readonly JobView[],
  action: Action,
): Promise<JobAnswer[]> {
  const problems = new Map<string, JobAnswer>();
  for (let start = 0; start < jobs.length; start += JOBS_AT_ONCE) {
    const ids = jobs.slice(start, start + JOBS_AT_ONCE).map(({ id }) => id);
    for (const { job, problem } of await refusedOf(connection, ids, action)) {
      problems.set(job.id, { ok: false, job, problem });
    }
  }
  // Their present state is read from the database, as everywhere.
  return viewDataFolder(dataFolder, (view) =>
    jobs.map((job) => problems.get(job.id) ?? { ok: true, job: view?.jobs.view(job.id) ?? job }),
  );
}

async function refusedOf(connection: Connection, ids: string[], action: Action) {
  const all = await connection.ask(async (api) => {
    if (action.action === 'retry') return [await api.jobs.retry({ ids })];
    if (action.action === 'cancel') return [await api.jobs.cancel({ ids })];
    return Promise.all(ids.map((jobId) => api.jobs.resolve({ jobId, resolution: action.resolution })));
  });
  return all.flatMap((done) => done?.result.refused ?? []);
}

/** Assets read in one call. */
const ASSETS_AT_ONCE = 2000;

/** The library of an engine of another process. That process reads the files: it is on this machine. */
function sharedLibrary({ ask }: Connection): CommandLibrary {
  return {
    groups: () => ask((api) => api.library.groups({})),
    createGroup: async (fields) => given(await ask((api) => api.library.createGroup(fields))),
    renameGroup: async (groupId, fields) => given(await ask((api) => api.library.renameGroup({ groupId, ...fields }))),
    assets: (filter) => allAssets({ ask }, filter),
    async asset(assetId) {
      try {
        return await ask((api) => api.library.asset({ assetId }));
      } catch (error) {
        if (error instanceof SharedRefusal && error.code === 'not_found') return null;
        throw error;
      }
    },
    upload: (paths, target, { signal }) =>
      ask((api) => api.library.uploadFiles({ paths: [...paths], target }, { signal })),
    addUrl: (url, target, { signal }) => ask((api) => api.library.addUrl({ url, target }, { signal })),
    async untilReady(assetIds, { signal }) {
      const readiness = await ask((api) => api.library.untilReady({ assetIds: [...assetIds] }, { signal }));
      return new Map(Object.entries(readiness));
    },
    sync: (signal) => ask((api) => api.library.sync({}, { signal })),
    whereUsed: (assetId) => ask((api) => api.library.whereUsed({ assetId })),
    hide: (assetId, hidden) => ask((api) => api.library.hide({ assetId, hidden })),
  };
}

async function allAssets({ ask }: Pick<Connection, 'ask'>, filter: AssetFilter): Promise<LibraryAsset[]> {
  const all: LibraryAsset[] = [];
  for (;;) {
    const window = { start: all.length, count: ASSETS_AT_ONCE };
    const { total, assets } = await ask((api) => api.library.assets({ ...filter, ...window }));
    all.push(...assets);
    if (assets.length === 0 || all.length >= total) return all;
  }
}
