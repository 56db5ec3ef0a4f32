import { mapText, type Message, messageFor } from '../../contract/messages/message.ts';
import type { Json, JsonObject } from '../../contract/json.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { Answer, Redact } from './answer.ts';
import { answerFor, beginOf, complaintFor, isObject, jobRefusalIn, saidIn, toText, traceIdsFor } from './answer.ts';
import { networkProblem } from './errors.ts';
import type { PollOutcome, SendOutcome, SubmitOutcome } from './calls.ts';
import type { PostReport } from './post-once.ts';
import { images } from './resources/requests.ts';
import { parseRetryAfter } from './retry.ts';
import { isDoneAnswer, isErrorAnswer, isTaskAnswer, toObject, readTask, readTaskIds } from './wire-schemas.ts';

/**
 * Statuses that prove that the service did not accept the request: it made nothing and charges nothing. No credit
 * (402), no such method (405), too large (413) and no such content type (415) are found before any work begins. Not
 * included: 409, because the conflict may be with this very request, delivered twice by a proxy; 408 and 425, which
 * leave open what happened to the request.
 */
const refusals: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 405, 413, 415, 422]);

/**
 * Reads the report of one POST. Pure. Only here is decided whether a request may have been paid for: an answer is one
 * of the listed statuses or a job-style refusal, or its outcome is unclear.
 */
export function readSubmit(
  report: PostReport,
  { answers, operation }: Pick<PlannedRequest, 'answers' | 'operation'>,
  now: number,
  redact: Redact,
): SubmitOutcome {
  const answer = answerIn(report, redact);
  if ('type' in answer) return answer;
  // The status line is enough: a refusal is one even if its body was cut.
  if (refusals.has(answer.status)) return { type: 'refused', complaint: complaintFor(answer, redact) };
  if (answer.status === 429) return throttledBy(answer, now, redact);
  if (report.error !== null) return { type: 'unclear', complaint: cutAnswer(answer, report.error, redact) };
  if (answer.status < 200 || answer.status >= 300) return { type: 'unclear', complaint: complaintFor(answer, redact) };
  const body = Buffer.concat(report.received);
  return answers === 'task' ? readAcceptance(answer, operation, body, redact) : readSynchronous(answer, body, redact);
}

function readSynchronous(answer: Answer, body: Buffer, redact: Redact): SubmitOutcome {
  const ids = traceIdsFor(answer, redact);
  if (body.length === 0)
    return unclearSuccess(answer, (status) => messageFor('failure.emptyAnswer', { status }), redact);
  // We asked for a result and got a task. It is paid for too, so follow it.
  const tasks = readTaskIds(answer.json);
  if (tasks !== null && isTaskAnswer(answer.json)) return { type: 'accepted', ...tasks, ...ids };
  if (isObject(answer.json) && isErrorAnswer(answer.json))
    return unclearSuccess(answer, (status) => messageFor('failure.answerWithError', { status }), redact);
  return { type: 'answered', body, json: answer.json, begins: excerpt(answer.text, redact), ...ids };
}

/** Reads the kept answer to an earlier synchronous submit as if it had just arrived. */
export function readKept(body: Buffer): SubmitOutcome {
  return readSynchronous(answerFor(200, {}, [body]), body, (text) => text);
}

function readAcceptance(answer: Answer, operation: string, bytes: Buffer, redact: Redact): SubmitOutcome {
  const body = toObject(answer.json);
  if (!body) return unclearSuccess(answer, (status) => messageFor('failure.answerNoTask', { status }), redact);
  const ids = traceIdsFor(answer, redact);
  const tasks = readTaskIds(body);
  if (tasks !== null) {
    const unbound = (unboundReferences(body) ?? []).map(redact);
    return { type: 'accepted', ...tasks, ...(unbound.length > 0 && { unbound }), ...ids };
  }
  // The family answers a refused request with status 200, too.
  if (images.isJobSubmit(operation) && jobRefusalIn(body)) {
    return { type: 'refused', complaint: complaintFor(answer, redact) };
  }
  // No task to follow, and none is needed: the answer is the result.
  if (isDoneAnswer(body)) return readSynchronous(answer, bytes, redact);
  // Music reports errors as `{ code: 'error', … }` with status 200. The reference does not say that this refuses the
  // request, so only the account's own pages can show whether a task was made.
  return unclearSuccess(answer, (status) => messageFor('failure.answerNoTask', { status }), redact);
}

/** Shows the beginning of a cut answer: it may contain the task id that a person can attach. */
function cutAnswer(answer: Answer, error: unknown, redact: Redact): ServiceProblem {
  const { code, message } = networkProblem(error);
  const began = excerpt(answer.text, redact);
  return {
    httpStatus: answer.status,
    ...traceIdsFor(answer, redact),
    ...(code === undefined ? {} : { code }),
    message: began === '' ? message : messageFor('failure.answerBegan', { reason: message, began }),
  };
}

function unclearSuccess(answer: Answer, what: (status: string) => Message, redact: Redact): SubmitOutcome {
  const body = isObject(answer.json) ? answer.json : {};
  const said = excerpt(saidIn(body).message ?? answer.text, redact);
  const { code: saidCode, ...complaint } = complaintFor(answer, redact);
  const reason = what(String(answer.status));
  return {
    type: 'unclear',
    complaint: {
      ...complaint,
      code: saidCode !== undefined && isErrorAnswer(body) ? saidCode : 'unclear_answer',
      message: said === '' ? reason : messageFor('failure.answerSaid', { reason, said }),
    },
  };
}

/** Redact before cutting, so that no part of the key is left. */
function excerpt(text: string, redact: Redact): string {
  return beginOf(redact(text.trim()), 200);
}

/** Statuses below 500 that do not prove that nothing happened. */
const NOT_A_REFUSAL: ReadonlySet<number> = new Set([408, 409, 425]);

/**
 * Reads the report of one request that is not billed. Pure. Every other 4xx answer counts as a refusal (including 413).
 * After an unclear outcome, we look for the result before sending again.
 */
export function readSent<T>(
  report: PostReport,
  read: (json: Json | undefined) => T | null,
  now: number,
  redact: Redact,
): SendOutcome<T> {
  const answer = answerIn(report, redact);
  if ('type' in answer) return answer;
  const complaint = complaintFor(answer, redact);
  if (answer.status === 429) return throttledBy(answer, now, redact);
  if (answer.status >= 400 && answer.status < 500 && !NOT_A_REFUSAL.has(answer.status))
    return { type: 'refused', complaint };
  const succeeded = answer.status >= 200 && answer.status < 300 && report.error === null;
  const value = succeeded ? read(answer.json) : null;
  if (value !== null) return { type: 'accepted', value, ...traceIdsFor(answer, redact) };
  return { type: 'unclear', complaint };
}

/** Reads the answer to one poll; `hasResult` as in `readTask`. Pure. */
export function readPoll(
  answer: Answer,
  now: number,
  redact: Redact,
  hasResult: (record: JsonObject) => boolean,
): PollOutcome {
  if (answer.status === 429) return throttledBy(answer, now, redact);
  if (answer.status === 401 || answer.status === 403)
    return { type: 'unauthorized', complaint: complaintFor(answer, redact) };
  const body = answer.status >= 200 && answer.status < 300 ? toObject(answer.json) : null;
  const task = body && readTask(body, hasResult);
  if (!task) return { type: 'no_answer', complaint: complaintFor(answer, redact) };
  const ids = traceIdsFor(answer, redact);
  return {
    type: 'task',
    status: task.status,
    remoteStatus: task.remoteStatus,
    ...(task.progress !== undefined && { progress: redact(task.progress) }),
    known: task.known,
    answer: body,
    complaint:
      task.status === 'failed' || task.status === 'cancelled'
        ? {
            ...ids,
            ...(task.code === undefined ? {} : { code: redact(task.code) }),
            message: task.message === undefined ? messageFor('failure.noReason') : redact(task.message),
          }
        : null,
    ...ids,
  };
}

function answerIn({ maySent, head, received, error }: PostReport, redact: Redact): Answer | WithoutAnswer {
  if (maySent && head !== null) return answerFor(head.status, head.headers, received);
  return { type: maySent ? 'unclear' : 'never_sent', complaint: redacted(networkProblem(error), redact) };
}

interface WithoutAnswer {
  readonly type: 'unclear' | 'never_sent';
  readonly complaint: ServiceProblem;
}

const throttledBy = (answer: Answer, now: number, redact: Redact) => ({
  type: 'throttled' as const,
  retryAfterMs: parseRetryAfter(answer.headers['retry-after'], now),
  complaint: complaintFor(answer, redact),
});

export function redacted(complaint: ServiceProblem, redact: Redact): ServiceProblem {
  return { ...complaint, message: mapText(complaint.message, redact) };
}

/** Words for a failed binding. The reference shows only `bound`; an unclear word does not count as a failure. */
const NOT_BOUND = /fail|error|reject|unbound|not[_ -]|missing|invalid|denied|unsupported|expired/i;

/** Limits: references read in one answer, and characters of a name. */
const MOST = 100;

const LONGEST = 200;

/** References the service did not bind (reference, "Task"): `@hero (reference_image)`. Null if the task lists none. */
export function unboundReferences(body: JsonObject): string[] | null {
  const inner = body['data'];
  const listed = body['input_references'] ?? (isObject(inner) ? inner['input_references'] : undefined);
  if (!Array.isArray(listed)) return null;
  return listed
    .slice(0, MOST)
    .flatMap((reference, index) => (isUnbound(reference) ? [referenceName(reference, index)] : []));
}

function isUnbound(reference: Json): reference is JsonObject {
  return isObject(reference) && NOT_BOUND.test(toText(reference['binding_status'])?.slice(0, LONGEST) ?? '');
}

function referenceName({ alias, role, type }: JsonObject, index: number): string {
  const named = toText(alias);
  const kind = toText(role) ?? toText(type);
  const name = named === undefined ? `#${index + 1}` : `@${named.replace(/^@/, '')}`;
  return (kind === undefined ? name : `${name} (${kind})`).slice(0, LONGEST);
}
