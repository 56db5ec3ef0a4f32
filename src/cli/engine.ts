import type { ContractRouterClient } from '@orpc/contract';
import type { EngineEvent, RunState } from '../contract/events.ts';
import type { JobView } from '../contract/job.ts';
import { t } from '../contract/messages/words.ts';
import type { Contract } from '../contract/procedures.ts';
import type { Refused } from '../contract/failure.ts';
import type { RunProgressEvent, RunScope } from '../contract/run.ts';
import { DailiesError, RefusedError } from '../engine/base/errors.ts';
import type { Holder } from '../engine/base/instance-lock.ts';
import type { RecoveryReport } from '../engine/jobs/recovery.ts';
import { holderInWords } from './output/words.ts';

export type Api = ContractRouterClient<Contract>;

export interface Watch {
  /** Its takes: what the list wants now, and everything else that is not over. */
  readonly takes: readonly JobView[];
  /** Lets it continue and reports its changes, until nothing in it can continue automatically or the queue stops. */
  go(onEvent: (event: EngineEvent) => void): Promise<RunState>;
  /** What to do when the queue is paused; null where this command resumes it itself. */
  readonly whenPaused: string | null;
  interruptNotice(): string;
}

/** The messages of a run; see `RunProgressEvent`. */
export type RunNews = AsyncGenerator<RunProgressEvent, void, void>;

export interface CommandEngine {
  /** Its procedures. Calls end when the person asks to stop. */
  readonly api: Api;
  /** The process that shares its engine; null for an engine of this process, which ends with the command. */
  readonly sharedBy: Holder | null;
  readonly recovery: RecoveryReport;
  /** Brings what other machines of the studio did into the data folder; an engine that others share does it itself. */
  pull?(): Promise<void>;
  listen(stream: AsyncIterable<RunProgressEvent>): RunNews;
  /** Follows a run: one that was stored just now, by its `progress`, or one that was stored before. */
  watch(scope: RunScope, options: { readonly resumePaused: boolean; readonly progress?: RunNews }): Promise<Watch>;
}

export interface WantedEngine {
  /** Whether requests to the service may follow: then address and key must be the same in both. */
  readonly sends: boolean;
  readonly agent?: string;
  /** Folder of the project whose account pays; absent: of none in particular. */
  readonly project?: string | undefined;
  /** It hands a list to the studio: an engine of this process becomes a member of it first. */
  readonly studio?: boolean | undefined;
}

type Call = (input: unknown, options?: { readonly signal?: AbortSignal }) => Promise<unknown>;

/**
 * A client whose calls end with `interrupted`. `told` gives what they throw to people in place of what the client threw.
 */
export function callable(client: Api, told: (error: unknown) => unknown, interrupted?: AbortSignal): Api {
  const calling =
    (call: Call): Call =>
    async (input, options) => {
      try {
        return await call(input, { ...(interrupted && { signal: interrupted }), ...options });
      } catch (error) {
        throw told(error);
      }
    };
  // Only the names of procedures are asked for: `await` asks a noun for none of its own.
  const procedures = (noun: object): object =>
    new Proxy(noun, { get: (_, verb: string) => calling((noun as Readonly<Record<string, Call>>)[verb] as Call) });
  return new Proxy(client, {
    get: (_, noun: string) => procedures((client as unknown as Readonly<Record<string, object>>)[noun] as object),
  });
}

/** The engine of another process went away, or never answered: the request may or may not have been done. */
export class EngineGoneError extends DailiesError {
  readonly code = 'engine_gone';
  readonly remedy = t('cli.engineGoneRemedy');

  constructor(holder: Holder, options?: ErrorOptions) {
    super(t('cli.engineGone', { other: holderInWords(holder) }), options);
  }
}

/** A refusal by an engine of another process, in its words. */
export class SharedRefusal extends RefusedError {
  readonly service: Refused['service'];

  constructor({ code, text, remedy, service }: Refused) {
    super(code, text, remedy);
    this.service = service;
  }
}
