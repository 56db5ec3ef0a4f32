import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../contract/settings.ts';
import { KeyMissingError, toMessage, refused } from '../base/errors.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { AgentCapError, CapReachedError } from '../db/ledger-store.ts';
import { agentCapReached, capReached, type ServiceProblem } from '../machine/failures.ts';
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import type { Failure } from '../../contract/failure.ts';
import type { Json } from '../../contract/json.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Tool, ToolCall } from '../../contract/tool.ts';
import { costHintInResult, parseJson } from '../api/answer.ts';
import type { SubmitOutcome } from '../api/calls.ts';
import { notAskedProblem, NotStartedError, QUEUE_TIMEOUT_MS } from '../api/request-queue.ts';
import { arrivingAt, openSpool } from '../api/spool.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import type { ToolStore } from '../db/tool-store.ts';
import { below, toPath, type Place, placeIn } from '../files/place.ts';
import { makeFolder, readFile, removeFile, replaceFile } from '../files/project-files.ts';
import { contentFor } from '../library/identity.ts';
import { projectFor } from '../projects/overview.ts';
import type { StepContext } from '../jobs/step-context.ts';

export interface ToolAsk {
  readonly tool: Tool;
  /** The project whose service is used; null for the service in the settings. */
  readonly projectId: string | null;
  readonly about: Text;
  readonly request: PlannedRequest;
  readonly asked?: object;
  /** A person agrees to a second charge for a call with an unclear outcome. */
  readonly isAgreed?: boolean;
}

export type ToolResult =
  /** `wasPaid`: the answer comes from an earlier call, and nothing was sent now. */
  | {
      readonly type: 'answered';
      readonly callId: string;
      readonly answer: Buffer;
      /** Undefined if the answer is not JSON. */
      readonly json: Json | undefined;
      readonly wasPaid: boolean;
    }
  /** The service made a task, which is free to poll. */
  | { readonly type: 'accepted'; readonly callId: string; readonly taskId: string; readonly account: Account }
  /** `failure.cost` says whether it may have been charged. */
  | { readonly type: 'failed'; readonly failure: Failure };

/** What an answer holds; null if it lacks it. `json` is undefined if it is not JSON. */
type ReadAnswer<Found> = (answer: Buffer, json: Json | undefined) => Found | null;

export type OpenToolCall = ToolCall & { readonly asked: Json };

async function hashFor({ path, body, files }: PlannedRequest): Promise<string> {
  const contents = await Promise.all(files.map((file) => contentFor(file.path)));
  return createHash('sha256')
    .update(JSON.stringify([path, body, ...contents]))
    .digest('hex');
}

type ToolContext = Pick<
  StepContext,
  'ports' | 'dataFolder' | 'clients' | 'projects' | 'jobs' | 'ledger' | 'pricesInForce'
>;

interface Charge {
  readonly id: string;
  readonly at: number;
  readonly projectId: string | null;
  readonly request: PlannedRequest;
}

const keptAnswer = (callId: string, answer: Buffer): ToolResult => {
  return { type: 'answered', callId, answer, json: parseJson(answer.toString('utf8')), wasPaid: true };
};

/** More than the client accepts from the service. */
const MAX_ANSWER_BYTES = 1000 ** 3;

/**
 * Makes billable calls that make no take, under the same rules as takes. The intent is on disk before the first byte,
 * the answer is on disk before it is read, and nothing is sent twice unless a person agrees to another charge. An
 * answer that was not used, for example after a crash, serves the same question again free of charge.
 */
export class ToolRunner {
  readonly #context: ToolContext;
  readonly #calls: ToolStore;
  readonly #reserve: (charge: Charge) => void;
  /** By request: two windows with the same question share one call. */
  readonly #underWay = new Map<string, Promise<ToolResult>>();

  /** `reserve` enters the price of a call in the ledger unless a cap is reached. Throws CapReachedError. */
  constructor(context: ToolContext, calls: ToolStore, reserve: (charge: Charge) => void) {
    this.#context = context;
    this.#calls = calls;
    this.#reserve = reserve;
  }

  /** Settles calls the last engine left unfinished: either the answer is there, or the outcome is unclear. */
  async recover(): Promise<void> {
    const calls = this.#calls;
    await makeFolder(this.#folder, 0o700);
    for (const { id } of calls.inState('sent')) {
      const now = this.#now();
      const answer = await this.#keptAnswer(id);
      if (answer) calls.put(id, 'answered', now);
      else calls.put(id, 'unclear', now, { failure: callInterrupted(now) });
    }
  }

  /**
   * Makes one call, or none if an earlier one has the answer or may have been charged. Aborting `signal` ends the wait
   * in the queue. A request that was sent is waited for, because it may be charged. Throws KeyMissingError, RefusedError
   * in a project of a studio, DatabaseError and SQLite's own errors; then nothing was sent.
   */
  async run(ask: ToolAsk, signal?: AbortSignal): Promise<ToolResult> {
    const account = this.accountOf(ask.projectId);
    const requestHash = await hashFor(ask.request);
    const name = `${requestHash} ${accountKey(account)}`;
    const running = this.#underWay.get(name) ?? this.#decide(account, requestHash, ask, signal);
    this.#underWay.set(name, running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(name);
    }
  }

  /** What an answer has of `wanted`, as `read` finds it. A call whose answer lacks it is marked as unread. */
  read<Found extends object>(result: ToolResult, wanted: Unread, read: ReadAnswer<Found>) {
    if (result.type === 'failed') return result;
    const { callId } = result;
    const [answer, json] = result.type === 'answered' ? [result.answer, result.json] : [Buffer.alloc(0)];
    const found = read(answer, json);
    if (found !== null) return { ...found, callId, wasPaid: result.type === 'answered' && result.wasPaid };
    const failure = answerNotUnderstood(wanted, answer, toPath(this.#answerPlace(callId)), this.#now());
    this.markUnread(callId, failure);
    return { type: 'failed' as const, failure };
  }

  /** Calls with an unclear outcome, for a person to decide, the oldest first; those whose request `matches` alone. */
  unclear(matches: (request: PlannedRequest) => boolean = () => true): ToolCall[] {
    const calls = this.#calls;
    return calls.inState('unclear').filter(({ id }) => matches(calls.request(id)));
  }

  open(projectId: string): OpenToolCall[] {
    const calls = this.#calls;
    return calls.open(projectId).map((call) => ({ ...call, asked: calls.asked(call.id) }));
  }

  /** A call and its stored answer. Sends nothing. Throws RefusedError if the answer was used or none came. */
  async reopen(callId: string): Promise<{ readonly call: OpenToolCall; readonly result: ToolResult }> {
    const calls = this.#calls;
    const found = calls.get(callId);
    if (found?.state !== 'answered') {
      throw refused('answer_used', 'failure.answerUsed');
    }
    const call = { ...found, asked: calls.asked(callId) };
    const answer = await this.#keptAnswer(callId);
    if (answer) return { call, result: keptAnswer(callId, answer) };
    const failure = callWithoutAnswer(this.#now());
    calls.put(callId, 'unclear', this.#now(), { failure });
    return { call, result: { type: 'failed', failure } };
  }

  /** Marks the answer as used: the same question is sent to the service again from now on. */
  async markUsed(callId: string): Promise<void> {
    this.#calls.put(callId, 'used', this.#now());
    await removeFile(this.#answerPlace(callId));
  }

  /** The call was charged, but its answer is unusable. It stays on disk, and the same question is a new charge. */
  markUnread(callId: string, failure: Failure): void {
    this.#calls.put(callId, 'used', this.#now(), { failure });
  }

  dismiss(callId: string): void {
    if (this.#calls.get(callId)?.state === 'unclear') this.#calls.put(callId, 'dismissed', this.#now());
  }

  /** Whose calls those of a project are; null for the service of the settings. Throws KeyMissingError. */
  accountOf(projectId: string | null): Account {
    const { clients, projects } = this.#context;
    const service = projectId === null ? null : projects.service(projectFor(projects, projectId).id);
    const account = clients.current(service);
    if (!account) throw new KeyMissingError();
    return account;
  }

  async #decide(account: Account, requestHash: string, ask: ToolAsk, signal?: AbortSignal): Promise<ToolResult> {
    const earlier = this.#calls.newest(account, requestHash);
    const mayBePaid = earlier?.state === 'answered' || earlier?.state === 'sent';
    if (mayBePaid) {
      const answer = await this.#keptAnswer(earlier.id);
      if (answer) return keptAnswer(earlier.id, answer);
    }
    if (earlier?.state === 'accepted' && earlier.taskId !== undefined) {
      return { type: 'accepted', callId: earlier.id, taskId: earlier.taskId, account };
    }
    const failure = mayBePaid ? callWithoutAnswer(this.#now()) : earlier?.state === 'unclear' && earlier.failure;
    if (earlier && failure) {
      if (ask.isAgreed !== true) return { type: 'failed', failure };
      this.#calls.put(earlier.id, 'dismissed', this.#now(), { failure });
    }
    return this.#callInTurn(account, requestHash, ask, signal);
  }

  /** Nothing waits between the intent and the first byte: the slot wraps both. */
  async #callInTurn(account: Account, requestHash: string, ask: ToolAsk, signal?: AbortSignal): Promise<ToolResult> {
    // The studio grants takes alone: its budgets and rates know nothing of a tool.
    if (ask.projectId !== null && this.#context.jobs.studio.placeOf(ask.projectId) !== null)
      throw refused('studio_tools', 'failure.studioTools', 'remedy.toolsOutsideStudio');
    const waiting = new AbortController();
    const endWait = () => waiting.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', endWait);
    try {
      return await this.#context.clients.queues(account).submit.run(
        () => {
          signal?.removeEventListener('abort', endWait);
          return this.#call(account, requestHash, ask);
        },
        { patienceMs: QUEUE_TIMEOUT_MS, priority: 1, signal: waiting.signal },
      );
    } catch (error) {
      if (!(error instanceof NotStartedError)) throw error;
      const outcome = { type: 'throttled' as const, retryAfterMs: null, complaint: notAskedProblem };
      return { type: 'failed', failure: callNotAccepted(outcome, this.#now()) };
    } finally {
      signal?.removeEventListener('abort', endWait);
    }
  }

  async #call(account: Account, requestHash: string, ask: ToolAsk): Promise<ToolResult> {
    const { clients, ports, pricesInForce } = this.#context;
    await pricesInForce();
    const client = clients.forAccount(account);
    if (!client) throw new KeyMissingError();
    const { tool, projectId, about, request, asked } = ask;
    // A person may have given the project another account while this waited for its turn.
    if (!isDeepStrictEqual(this.accountOf(projectId), account)) {
      const outcome = { type: 'throttled' as const, retryAfterMs: null, complaint: notAskedProblem };
      return { type: 'failed', failure: callNotAccepted(outcome, this.#now()) };
    }
    const id = uuid();
    const at = this.#now();
    try {
      const call = { id, tool, projectId, about, request, asked, account, requestHash, sentAt: at };
      this.#calls.intend(call, () => this.#reserve({ id, at, projectId, request }));
    } catch (error) {
      if (error instanceof CapReachedError) return { type: 'failed', failure: capReached(at) };
      if (error instanceof AgentCapError) return { type: 'failed', failure: agentCapReached(at) };
      throw error;
    }
    const spool = openSpool(this.#answerPlace(id), ports.logger);
    const outcome = await client.submit(request, { spool });
    if (outcome.type === 'answered' && !spool.isWhole) await this.#keep(id, outcome.body);
    return this.#settle(id, account, outcome);
  }

  #settle(callId: string, account: Account, outcome: SubmitOutcome): ToolResult {
    const now = this.#now();
    switch (outcome.type) {
      case 'answered':
        this.#put(callId, 'answered', {}, costHintInResult(outcome));
        return { type: 'answered', callId, answer: outcome.body, json: outcome.json, wasPaid: false };
      case 'accepted':
        this.#put(callId, 'accepted', { taskId: outcome.taskId });
        return { type: 'accepted', callId, taskId: outcome.taskId, account };
      case 'unclear': {
        const failure = callUnclear(outcome.complaint, now);
        this.#put(callId, 'unclear', { failure });
        return { type: 'failed', failure };
      }
      case 'never_sent':
      case 'throttled':
      case 'refused': {
        const failure = callNotAccepted(outcome, now);
        this.#put(callId, 'not_charged', { failure });
        return { type: 'failed', failure };
      }
    }
  }

  /** A database that fails here loses no money: the next start settles the call by its kept answer. */
  #put(
    callId: string,
    state: ToolCall['state'],
    facts: { taskId?: string; failure?: Failure } = {},
    costHint: object | null = null,
  ) {
    try {
      this.#calls.put(callId, state, this.#now(), facts);
      if (costHint) this.#context.ledger.tell(callId, costHint);
    } catch (error) {
      this.#context.ports.logger.error('What a call came to could not be written down', {
        call: callId,
        state,
        reason: toMessage(error),
      });
    }
  }

  /** The disk failed while the answer arrived: once more, now that it is whole in memory. */
  async #keep(callId: string, answer: Buffer): Promise<void> {
    try {
      await replaceFile(this.#answerPlace(callId), answer);
      await removeFile(arrivingAt(this.#answerPlace(callId)));
    } catch (error) {
      this.#context.ports.logger.warn('A paid answer could not be kept on disk', {
        call: callId,
        reason: toMessage(error),
      });
    }
  }

  /** The answer of a call, which has its name only once it is whole. */
  #keptAnswer(callId: string): Promise<Buffer | null> {
    return readFile(this.#answerPlace(callId), MAX_ANSWER_BYTES).catch(() => null);
  }

  #now(): number {
    return this.#context.ports.clock.now();
  }

  get #folder(): Place {
    return placeIn(this.#context.dataFolder, 'answers');
  }

  #answerPlace(callId: string): Place {
    return below(this.#folder, `tool-${callId}`);
  }
}

/** The path of a tool, which is a setting. Throws RefusedError where a person has emptied it. */
export function toolPath({ paths }: Settings, name: string): string {
  const path = paths[name];
  if (path) return path;
  throw refused(
    'path_not_set',
    messageFor('failure.pathNotSet', { name }),
    messageFor('remedy.setPathNamed', { name }),
  );
}

type NotAccepted = Extract<SubmitOutcome, { type: 'never_sent' | 'throttled' | 'refused' }>;

function callNotAccepted({ type, complaint }: NotAccepted, at: number): Failure {
  const { code = type, message: reason, ...facts } = complaint;
  const words = {
    throttled: { message: messageFor('failure.uploadThrottled'), remedy: messageFor('remedy.waitAndRunAgain') },
    refused: { message: messageFor('failure.refused', { reason }), remedy: remedyFor(complaint.httpStatus) },
    never_sent: {
      message: messageFor('failure.notSent', { reason }),
      remedy: messageFor('remedy.checkConnectionAndRunAgain'),
    },
  };
  return { code, ...words[type], ...facts, cost: 'nothing', at };
}

function remedyFor(httpStatus: number | undefined): Text {
  if (httpStatus === 401) return messageFor('remedy.setKeyAndRunAgain');
  if (httpStatus === 402) return messageFor('remedy.addCredit');
  return messageFor('remedy.changeAndRunAgain');
}

function callUnclear({ code = 'unclear', message: reason, ...facts }: ServiceProblem, at: number): Failure {
  const words = { message: messageFor('failure.callUnclear', { reason }), remedy: messageFor('remedy.sendCallAgain') };
  return { code, ...words, cost: 'maybe', at, ...facts };
}

const callInterrupted = (at: number): Failure =>
  callUnclear({ code: 'interrupted', message: messageFor('failure.diedWhileSubmitting') }, at);

const callWithoutAnswer = (at: number): Failure =>
  callUnclear({ code: 'answer_gone', message: messageFor('failure.answerGone') }, at);

export type Unread = 'description' | 'prompts' | 'shots' | 'vectors' | 'findings';

function answerNotUnderstood(what: Unread, answer: Buffer, file: string, at: number): Failure {
  const begins = answer.subarray(0, 300).toString('utf8').replaceAll(/\s+/g, ' ').trim();
  return {
    code: 'answer_unread',
    message:
      begins === '' ? messageFor('failure.toolAnswerEmpty') : messageFor('failure.toolAnswerUnread', { what, begins }),
    remedy: messageFor('remedy.otherModel', { file }),
    cost: 'charged',
    at,
  };
}
