import * as z from 'zod';
import type { Failure } from '../../contract/failure.ts';
import { Text } from '../../contract/messages/message.ts';
import type { JobEvent } from './job-machine.ts';
import type { JobState } from '../../contract/job.ts';

/**
 * The failure that a model's takes share. After so many equal failures in a row the model is held: then one take at a
 * time tries whether it works again, and each pause is twice the one before. Times are ms since the epoch. Pure.
 */
export const ModelTrouble = z.object({
  cause: z.string(),
  message: Text,
  /** Failures in a row; while it is held, those that led to it and those of the takes that tried. */
  count: z.int(),
  held: z
    .object({
      until: z.number(),
      pauseMs: z.number(),
      /** The take that tries, once it is launched. */
      probe: z.string().nullable(),
    })
    .nullable(),
});
export type ModelTrouble = z.infer<typeof ModelTrouble>;

export type ModelOutcome =
  | { readonly type: 'works' }
  | { readonly type: 'takes_requests' }
  | { readonly type: 'fails'; readonly cause: string; readonly message: Text }
  | { readonly type: 'faulty_shot' };

const HOLDS_AFTER = 5;
const MAX_PAUSE_MS = 60 * 60_000;

export interface OutcomeContext {
  readonly jobId: string;
  readonly now: number;
  readonly firstPauseMs: number;
}

export function afterOutcome(
  before: ModelTrouble | null,
  outcome: ModelOutcome,
  { jobId, now, firstPauseMs }: OutcomeContext,
): ModelTrouble | null {
  if (outcome.type === 'works') return null;
  if (outcome.type === 'takes_requests') return before?.cause.startsWith(REFUSED) === true ? null : before;
  if (before?.held) {
    // Sent before the model was held, so it says nothing new.
    if (outcome.type !== 'fails' || before.held.probe !== jobId) return before;
    const pauseMs = Math.max(firstPauseMs, Math.min(MAX_PAUSE_MS, before.held.pauseMs * 2));
    return { ...troubleFor(outcome, before.count + 1), held: { until: now + pauseMs, pauseMs, probe: null } };
  }
  if (outcome.type === 'faulty_shot') return null;
  const count = before?.cause === outcome.cause ? before.count + 1 : 1;
  const held = count < HOLDS_AFTER ? null : { until: now + firstPauseMs, pauseMs: firstPauseMs, probe: null };
  return { ...troubleFor(outcome, count), held };
}

const troubleFor = ({ cause, message }: Extract<ModelOutcome, { type: 'fails' }>, count: number) => ({
  ...{ cause, message, count },
});

/** A take tries now: a person asked for it, or the clock was set back. */
export const withTrialNow = (trouble: ModelTrouble, now: number): ModelTrouble =>
  trouble.held ? { ...trouble, held: { ...trouble.held, until: Math.min(trouble.held.until, now) } } : trouble;

const REFUSED = 'refused ';
const FAILED = 'failed ';

export function modelOutcomeFor(state: JobState, event: JobEvent): ModelOutcome | null {
  switch (event.type) {
    case 'succeeded':
    case 'answered':
      return { type: 'works' };
    case 'accepted':
      return { type: 'takes_requests' };
    case 'refused':
      // Without a status it was never sent: the cause is on this machine.
      return event.failure.httpStatus === undefined ? null : failureNews(REFUSED, event.failure);
    case 'task_failed':
      // The task had failed before, and was asked about again.
      if (state.state === 'polling' && state.againAfter) return null;
      return failureNews(FAILED, event.failure);
    default:
      return null;
  }
}

/** Refusals whose status says that the request is wrong. */
const FAULTY_REQUEST: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/**
 * Words in the errors of services that blame the shot: what it shows, or what it asks for. The reference lists no
 * codes, so these are the ones that gateways use.
 */
const ABOUT_CONTENT =
  /polic|moderat|safety|sensitiv|nsfw|copyright|prohibit|violat|content[_ -]?filter|敏感|违规|违反|审核|版权/i;
const ABOUT_REQUEST =
  /invalid|unsupported|bad[_ -]?request|content|param|prompt|too[_ -](?:long|large|short|small)|参数|不支持|提示词/i;
/** Words by which they say that the model is at fault, not the request. */
const ABOUT_MODEL = /model|channel|capacity|overload|unavailable|upstream|maintenance|deprecated|offline/i;

/** Codes that say no more than the status does; such failures are compared by their messages. */
const SAYS_NOTHING = /^(?:task_failed|refused|http_\d+|error|failed|unknown|\d+)$/i;
const MAX_CAUSE = 500;

function failureNews(stage: typeof REFUSED | typeof FAILED, failure: Failure): ModelOutcome {
  const { code, message, httpStatus } = failure;
  const said = JSON.stringify(message).slice(0, MAX_CAUSE);
  const isVague = SAYS_NOTHING.test(code);
  const reason = isVague ? `${code} ${said}` : code;
  const isFaulty = ABOUT_REQUEST.test(reason) || (httpStatus !== undefined && FAULTY_REQUEST.has(httpStatus));
  if (ABOUT_CONTENT.test(`${code} ${said}`) || (isFaulty && !ABOUT_MODEL.test(reason))) return { type: 'faulty_shot' };
  // Ids and numbers differ from take to take.
  const cause = `${stage}${isVague ? reason.replace(/[0-9a-f]{6,}|\d+/gi, '#') : code}`.slice(0, MAX_CAUSE);
  return { type: 'fails', cause, message };
}
