import { resolve } from 'node:path';
import { t } from '../contract/messages/words.ts';
import { DataFolderInUseError, engineIn, type Holder } from '../engine/base/instance-lock.ts';
import { machineId } from '../host/data-folder.ts';
import { socketFor } from '../server/private/socket-path.ts';
import { EngineGoneError, type Api, type CommandEngine, type WantedEngine } from './engine.ts';
import { knownFolder } from './look.ts';
import { holderInWords } from './output/words.ts';
import type { EngineNeeds } from './own-engine.ts';
import {
  accountFor,
  askService,
  requireFirstAccount,
  serviceAccess,
  toSettings,
  type AskModels,
} from './service-access.ts';
import type { Session } from './session.ts';
import type { FoundShared } from './shared-engine.ts';

/** How often to look at the folder again, ms. */
const LOOK_AGAIN_MS = 250;
/** An engine that shares itself announces its address within this time of its start, ms. */
const START_MS = 3000;
/** How long to wait for an engine that has announced itself, ms: it is busy, or stopping. */
const TIMEOUT_MS = 10_000;
/** An app restarts a crashed engine: how long to let it go first, ms. */
const GRACE_MS = 3000;

type Work<Result> = (engine: CommandEngine) => Promise<Result>;

/** What an engine of this process needs. Throws UsageError, before anything is stored, when something is missing. */
const ownAccess = async (session: Session, { sends, project }: WantedEngine): Promise<EngineNeeds> =>
  sends ? serviceAccess(session, project) : { settings: toSettings(session), keys: 'none' };

export type EngineConnector = Awaited<ReturnType<typeof findEngine>>;

/**
 * Finds the engine of a data folder: the one that another process shares, else one of this process. It depends on who
 * holds the folder, which may change at any moment. Throws UsageError when neither is available, DataFolderInUseError
 * when the holder shares nothing.
 */
export async function findEngine(session: Session, wanted: WantedEngine) {
  let found = await look(session, wanted, null);
  let lostAt: number | null = null;
  const settings = found?.settings ?? (await ownAccess(session, wanted)).settings;
  const share = async <Result>(shared: FoundShared, work: Work<Result>): Promise<Result> => {
    try {
      return await work(shared.engine);
    } catch (error) {
      if (!(error instanceof EngineGoneError)) throw error;
      // The person who asked to stop broke the connection.
      session.interrupted.throwIfAborted();
      lostAt = session.shell.clock.now();
      throw error;
    } finally {
      await shared.close();
    }
  };
  return {
    settings,
    askModels:
      found === null
        ? askService(session, wanted.project)
        : toModels(found, accountFor(session, wanted.project)?.id ?? null),
    wasLost: () => lostAt !== null,
    /**
     * Works with the engine. An engine of this process is always stopped afterwards. Throws EngineGoneError and
     * everything that finding it throws.
     */
    async use<Result>(work: Work<Result>): Promise<Result> {
      for (;;) {
        const shared = found ?? (await look(session, wanted, lostAt));
        found = null;
        if (shared) return share(shared, work);
        try {
          // Loaded only where no other process has one.
          const { withEngine } = await import('./own-engine.ts');
          return await withEngine(
            session,
            { ...(await ownAccess(session, wanted)), agent: wanted.agent, studio: wanted.studio },
            work,
          );
        } catch (error) {
          // Another program was faster: it may share its engine.
          if (!(error instanceof DataFolderInUseError)) throw error;
        }
      }
    },
  };
}

const toModels =
  ({ engine }: FoundShared, accountId: string | null): AskModels =>
  async (signal) => {
    const models = await engine.api.settings.models({ accountId }, { signal });
    if (models.some(({ ofAccount }) => !ofAccount)) throw new Error(t('cli.noAnswerSentence'));
    return models;
  };

/**
 * Looks until it is clear who works in the folder: a shared engine, or null when the folder is free. After a loss
 * (`lostAt`) it waits for the holder; the followed takes are stored, so waiting loses nothing.
 */
async function look(session: Session, wanted: WantedEngine, lostAt: number | null): Promise<FoundShared | null> {
  const { shell, dataFolder, interrupted, complain } = session;
  const { clock } = shell;
  const machine = machineId(shell);
  const startedAt = clock.now();
  let told = false;
  for (;;) {
    interrupted.throwIfAborted();
    const held = engineIn(dataFolder, machine);
    const now = clock.now();
    if (!held && (lostAt === null || now - lostAt >= GRACE_MS)) return null;
    const shared = held?.holder ? await reached(session, held.holder, wanted) : null;
    if (shared) return shared;
    if (held && lostAt === null && !mayStillShare(held.holder, machine, now, startedAt)) {
      throw new DataFolderInUseError(dataFolder, held.holder);
    }
    if (held?.holder && lostAt !== null && now - lostAt >= TIMEOUT_MS && !told) {
      told = true;
      complain(t('cli.waitingForEngine', { other: holderInWords(held.holder) }));
    }
    await clock.sleep(LOOK_AGAIN_MS, { signal: interrupted });
  }
}

async function reached(session: Session, holder: Holder, wanted: WantedEngine): Promise<FoundShared | null> {
  if (socketFor(holder, machineId(session.shell)) === null) return null;
  // Loaded only when there is an engine to connect to.
  const { openShared } = await import('./shared-engine.ts');
  try {
    return await openShared(session, holder, wanted);
  } catch (error) {
    // It is just starting, or has just ended.
    if (error instanceof EngineGoneError) return null;
    throw error;
  }
}

/** It was started a moment ago and has not announced its address; or it has, and does not answer yet or any more. */
function mayStillShare(holder: Holder | null, machine: string | undefined, now: number, lookedSince: number): boolean {
  if (socketFor(holder, machine) !== null) return now - lookedSince < TIMEOUT_MS;
  return now - (holder?.startedAt ?? lookedSince) < START_MS;
}

/**
 * Works with the account of a project; without one, with the first. Throws UsageError when its address or key is missing, or
 * another account is named.
 */
export async function withSendingEngine<Result>(
  session: Session,
  work: Work<Result>,
  project?: string,
): Promise<Result> {
  if (project === undefined) requireFirstAccount(session);
  return (await findEngine(session, { sends: true, project })).use(work);
}

/** Works with an engine that sends nothing for this command: it needs no key. */
export const withQuietEngine = async <Result>(session: Session, work: Work<Result>): Promise<Result> =>
  (await findEngine(session, { sends: false })).use(work);

/** The id of the project in a folder, which is made where there is none yet; null without a folder. */
export async function openProject(session: Session, api: Api, folder: string | undefined): Promise<string | null> {
  if (folder === undefined) return null;
  return (await api.projects.open(projectToOpen(session, folder))).project.id;
}

export const projectToOpen = ({ shell, options: { account } }: Session, folder: string) => ({
  path: resolve(shell.cwd, folder),
  ...(account !== undefined && { account }),
});

/**
 * The same, once the folder of a known project was taken in: then the names of its batches mean what they mean there.
 * Throws ProjectInUseError and, for one of the archive, RefusedError.
 */
export function withProject<Result>(
  session: Session,
  project: string | undefined,
  work: Work<Result>,
): Promise<Result> {
  return withQuietEngine(session, async (engine) => {
    const path = project === undefined ? null : knownFolder(session, project);
    if (path !== null) await engine.api.projects.open({ path });
    return work(engine);
  });
}
