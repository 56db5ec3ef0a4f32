import { say } from '../../contract/messages/words.ts';
import type { Settings } from '../../contract/settings.ts';
import { DataFolderInUseError, lockHolder, type Holder } from '../../engine/base/instance-lock.ts';
import type { ListedModel } from '../../engine/models/listed.ts';
import type { Session } from '../session.ts';
import { askService, type AskModels } from '../account-models.ts';
import { EngineGoneError, inWords } from './shared-errors.ts';
import type { CommandEngine, CommandLibrary } from './command-engine.ts';
import type { FoundShared } from './find-shared.ts';
import { ownEngine, withEngine, type EngineNeeds } from './own-engine.ts';
import { sharedEngine } from './shared-engine.ts';
import { socketOf } from '../../server/private/socket-path.ts';
import type { ExitStatus } from '../exit.ts';
import { serviceAccess, settingsOf } from '../service-access.ts';

/** How often the folder is looked at again, ms. */
const LOOK_AGAIN_MS = 250;
/** An engine says within this time of its start where it can be reached, if it can, ms. */
const START_MS = 3000;
/** One that has said so is waited for this long: it is busy, or stops, ms. */
const PATIENCE_MS = 10_000;
/** An app whose engine crashed restarts it: it goes before us for this long, ms. */
const GRACE_MS = 3000;

export interface WantedEngine {
  /** `dailies run`, for another program that finds the data folder in use. */
  readonly command: string;
  /** Whether requests to the service may follow: then address and key must be the same here and there. */
  readonly sends: boolean;
  /** What an engine of this process needs. Throws UsageError, before anything is stored, when something is missing. */
  readonly own: () => Promise<Omit<EngineNeeds, 'command'>>;
}

/**
 * The way to the engine of a data folder: the one that another process shares, else one of this process. Who holds the
 * folder decides, and that may change at any moment.
 */
export class EngineConnector {
  /** What the engine works by. */
  readonly settings: Settings;
  readonly #session: Session;
  readonly #wanted: WantedEngine;
  #found: FoundShared | null;
  #lostAt: number | null = null;

  private constructor(session: Session, wanted: WantedEngine, { settings, found }: Beginning) {
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

  /** Asks the engine that was found, or the service itself. */
  get askModels(): AskModels {
    const found = this.#found;
    return found === null ? askService(this.#session) : (signal) => modelsOf(found, signal);
  }

  /** Whether an engine that was shared has gone away in the middle. */
  get wasLost(): boolean {
    return this.#lostAt !== null;
  }

  /** Works with the engine. One of this process is stopped then, whatever happens. Throws EngineGoneError and all that `find` does. */
  async use<Result>(work: (engine: CommandEngine) => Promise<Result>): Promise<Result> {
    for (;;) {
      const shared = this.#found ?? (await look(this.#session, this.#wanted, this.#lostAt));
      this.#found = null;
      if (shared) return this.#share(shared, work);
      try {
        const needs = { ...(await this.#wanted.own()), command: this.#wanted.command };
        return await withEngine(this.#session, needs, (engine) => work(ownEngine(engine)));
      } catch (error) {
        // Another program was faster: perhaps it shares.
        if (!(error instanceof DataFolderInUseError)) throw error;
      }
    }
  }

  async #share<Result>({ connection }: FoundShared, work: (engine: CommandEngine) => Promise<Result>): Promise<Result> {
    const { interrupted, shell } = this.#session;
    try {
      return await work(sharedEngine(this.#session, connection));
    } catch (error) {
      if (!(error instanceof EngineGoneError)) throw error;
      // The line was cut by the person who asked to stop.
      interrupted.throwIfAborted();
      this.#lostAt = shell.clock.now();
      throw error;
    } finally {
      await connection.close();
    }
  }
}

async function modelsOf({ connection }: FoundShared, signal: AbortSignal): Promise<readonly ListedModel[]> {
  const models = await connection.ask((api) => api.settings.models(undefined, { signal }));
  if (models.some(({ ofAccount }) => !ofAccount)) throw new Error(say('cli.noAnswerSentence'));
  return models;
}

interface Beginning {
  readonly settings: Settings;
  readonly found: FoundShared | null;
}

/**
 * Looks until it is clear who works in the folder: a shared engine, or null when the folder is free. After a loss
 * (`lostAt`) it waits for the holder; the takes it follows are stored already, so nothing is lost by waiting.
 */
async function look(session: Session, wanted: WantedEngine, lostAt: number | null): Promise<FoundShared | null> {
  const { shell, dataFolder, interrupted } = session;
  const { clock } = shell;
  const startedAt = clock.now();
  let told = false;
  for (;;) {
    interrupted.throwIfAborted();
    const held = lockHolder(dataFolder);
    const now = clock.now();
    if (!held && (lostAt === null || now - lostAt >= GRACE_MS)) return null;
    const shared = held?.holder ? await reached(session, held.holder, wanted) : null;
    if (shared) return shared;
    if (held && lostAt === null && !mayStillShare(held.holder, now, startedAt)) {
      throw new DataFolderInUseError(dataFolder, held.holder);
    }
    if (held?.holder && lostAt !== null && now - lostAt >= PATIENCE_MS && !told) {
      told = true;
      shell.stderr.write(`${say('cli.waitingForEngine', { other: inWords(held.holder) })}\n`);
    }
    await clock.sleep(LOOK_AGAIN_MS, { signal: interrupted });
  }
}

async function reached(session: Session, holder: Holder, wanted: WantedEngine): Promise<FoundShared | null> {
  if (socketOf(holder) === null) return null;
  // Loaded only where there is an engine to connect to.
  const { openShared } = await import('./find-shared.ts');
  try {
    return await openShared(session, holder, wanted);
  } catch (error) {
    // It is just starting, or has just ended.
    if (error instanceof EngineGoneError) return null;
    throw error;
  }
}

/** It was started a moment ago and has not said yet where it is; or it has, and does not answer yet, or no more. */
function mayStillShare(holder: Holder | null, now: number, lookedSince: number): boolean {
  if (socketOf(holder) !== null) return now - lookedSince < PATIENCE_MS;
  return now - (holder?.startedAt ?? lookedSince) < START_MS;
}

/** Works with the account that address and key name. Throws UsageError when one of them is missing. */
export async function withSendingEngine<Result>(
  session: Session,
  command: string,
  work: (engine: CommandEngine) => Promise<Result>,
): Promise<Result> {
  const way = await EngineConnector.find(session, { command, sends: true, own: () => serviceAccess(session) });
  return way.use(work);
}

/** Works with an engine that sends nothing by what is done here: it needs no key. */
export async function withQuietEngine<Result>(
  session: Session,
  command: string,
  work: (engine: CommandEngine) => Result | Promise<Result>,
): Promise<Result> {
  const own = () => Promise.resolve({ settings: settingsOf(session), apiKey: null });
  const way = await EngineConnector.find(session, { command, sends: false, own });
  return way.use(async (engine) => work(engine));
}

/** Works with its library alone. */
export const withLibrary = (
  session: Session,
  command: string,
  work: (library: CommandLibrary) => Promise<ExitStatus>,
): Promise<ExitStatus> => withSendingEngine(session, command, ({ library }) => work(library));
