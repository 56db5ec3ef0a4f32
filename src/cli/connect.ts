import { say } from '../contract/messages/words.ts';
import type { Settings } from '../contract/settings.ts';
import { DataFolderInUseError, engineIn, type Holder } from '../engine/base/instance-lock.ts';
import type { ListedModel } from '../engine/models/index.ts';
import { machineId } from '../host/data-folder.ts';
import { socketOf } from '../server/private/socket-path.ts';
import { askService, type AskModels } from './account-models.ts';
import { EngineGoneError, type CommandEngine } from './engine.ts';
import { knownFolder } from './look.ts';
import { holderInWords } from './output/words.ts';
import type { EngineNeeds } from './own-engine.ts';
import { serviceAccess, settingsOf } from './service-access.ts';
import type { Session } from './session.ts';
import type { FoundShared } from './shared-engine.ts';

/** How often to look at the folder again, ms. */
const LOOK_AGAIN_MS = 250;
/** An engine that shares itself announces its address within this time of its start, ms. */
const START_MS = 3000;
/** How long to wait for an engine that has announced itself, ms: it is busy, or stopping. */
const PATIENCE_MS = 10_000;
/** An app restarts a crashed engine: how long to let it go first, ms. */
const GRACE_MS = 3000;

export interface WantedEngine {
  /** `dailies run`, for another program that finds the data folder in use. */
  readonly command: string;
  /** Whether requests to the service may follow: then address and key must be the same in both. */
  readonly sends: boolean;
  readonly agent?: string;
  /** What an engine of this process needs. Throws UsageError, before anything is stored, when something is missing. */
  readonly own: () => Promise<Omit<EngineNeeds, 'command' | 'agent'>>;
}

/**
 * Finds the engine of a data folder: the one that another process shares, else one of this process. It depends on who
 * holds the folder, which may change at any moment.
 */
export class EngineConnector {
  readonly settings: Settings;
  readonly #session: Session;
  readonly #wanted: WantedEngine;
  #found: FoundShared | null;
  #lostAt: number | null = null;

  private constructor(
    session: Session,
    wanted: WantedEngine,
    { settings, found }: { readonly settings: Settings; readonly found: FoundShared | null },
  ) {
    this.#session = session;
    this.#wanted = wanted;
    this.settings = settings;
    this.#found = found;
  }

  /** Throws UsageError when neither is available, DataFolderInUseError when the holder shares nothing. */
  static async find(session: Session, wanted: WantedEngine): Promise<EngineConnector> {
    const found = await look(session, wanted, null);
    const settings = found?.settings ?? (await wanted.own()).settings;
    return new EngineConnector(session, wanted, { settings, found });
  }

  get askModels(): AskModels {
    const found = this.#found;
    return found === null ? askService(this.#session) : (signal) => modelsOf(found, signal);
  }

  get wasLost(): boolean {
    return this.#lostAt !== null;
  }

  /**
   * Works with the engine. An engine of this process is always stopped afterwards. Throws EngineGoneError and
   * everything that `find` throws.
   */
  async use<Result>(work: (engine: CommandEngine) => Promise<Result>): Promise<Result> {
    for (;;) {
      const shared = this.#found ?? (await look(this.#session, this.#wanted, this.#lostAt));
      this.#found = null;
      if (shared) return this.#share(shared, work);
      try {
        // Loaded only where no other process has one.
        const { withEngine } = await import('./own-engine.ts');
        const { command, agent } = this.#wanted;
        const needs = { ...(await this.#wanted.own()), command, agent };
        return await withEngine(this.#session, needs, work);
      } catch (error) {
        // Another program was faster: it may share its engine.
        if (!(error instanceof DataFolderInUseError)) throw error;
      }
    }
  }

  async #share<Result>(shared: FoundShared, work: (engine: CommandEngine) => Promise<Result>): Promise<Result> {
    const { interrupted, shell } = this.#session;
    try {
      return await work(shared.engine);
    } catch (error) {
      if (!(error instanceof EngineGoneError)) throw error;
      // The person who asked to stop broke the connection.
      interrupted.throwIfAborted();
      this.#lostAt = shell.clock.now();
      throw error;
    } finally {
      await shared.close();
    }
  }
}

async function modelsOf({ engine }: FoundShared, signal: AbortSignal): Promise<readonly ListedModel[]> {
  const models = await engine.api.settings.models(undefined, { signal });
  if (models.some(({ ofAccount }) => !ofAccount)) throw new Error(say('cli.noAnswerSentence'));
  return models;
}

/**
 * Looks until it is clear who works in the folder: a shared engine, or null when the folder is free. After a loss
 * (`lostAt`) it waits for the holder; the followed takes are stored, so waiting loses nothing.
 */
async function look(session: Session, wanted: WantedEngine, lostAt: number | null): Promise<FoundShared | null> {
  const { shell, dataFolder, interrupted } = session;
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
    if (held?.holder && lostAt !== null && now - lostAt >= PATIENCE_MS && !told) {
      told = true;
      shell.stderr.write(`${say('cli.waitingForEngine', { other: holderInWords(held.holder) })}\n`);
    }
    await clock.sleep(LOOK_AGAIN_MS, { signal: interrupted });
  }
}

async function reached(session: Session, holder: Holder, wanted: WantedEngine): Promise<FoundShared | null> {
  if (socketOf(holder, machineId(session.shell)) === null) return null;
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
  if (socketOf(holder, machine) !== null) return now - lookedSince < PATIENCE_MS;
  return now - (holder?.startedAt ?? lookedSince) < START_MS;
}

export const sendingEngine = (session: Session, command: string): Promise<EngineConnector> =>
  EngineConnector.find(session, { command, sends: true, own: () => serviceAccess(session) });

/** Works with the account of the address and key. Throws UsageError when one of them is missing. */
export async function withSendingEngine<Result>(
  session: Session,
  command: string,
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  return (await sendingEngine(session, command)).use(work);
}

/** Works with an engine that sends nothing for this command: it needs no key. */
export async function withQuietEngine<Result>(
  session: Session,
  command: string,
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  const own = () => Promise.resolve({ settings: settingsOf(session), apiKey: null });
  const way = await EngineConnector.find(session, { command, sends: false, own });
  return way.use(work);
}

/**
 * The same, once the folder of a known project was taken in: then the names of its batches mean what they mean there.
 * Throws ProjectInUseError and, for one of the archive, RefusedError.
 */
export function withProject<Result>(
  session: Session,
  command: string,
  project: string | undefined,
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  return withQuietEngine(session, command, async (engine) => {
    const path = project === undefined ? null : knownFolder(session, project);
    if (path !== null) await engine.api.projects.open({ path });
    return work(engine);
  });
}
