import { type Message, messageFor } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import { DailiesError, ErrorWithText, systemCode, toText } from '../base/errors.ts';

/** An error that the service reported, with one class for each group of statuses (reference, "Errors"). */
export abstract class ServiceError extends DailiesError {
  readonly code: string;
  readonly httpStatus: number | undefined;
  /** Its facts, stored with the job or upload that failed. */
  readonly problem: ServiceProblem;

  constructor(complaint: ServiceProblem, options?: ErrorOptions) {
    super(complaint.message, options);
    this.name = new.target.name;
    this.httpStatus = complaint.httpStatus;
    this.code =
      complaint.code ?? (complaint.httpStatus === undefined ? 'no_answer' : `http_${String(complaint.httpStatus)}`);
    this.problem = { ...complaint, code: this.code };
  }
}

export class BadRequestError extends ServiceError {
  readonly remedy = messageFor('remedy.changeAndRunAgain');
}

export class AuthenticationError extends ServiceError {
  readonly remedy = messageFor('remedy.setKeyAndRunAgain');
}

export class PermissionDeniedError extends ServiceError {
  readonly remedy = messageFor('remedy.chooseModel');
}

export class NotFoundError extends ServiceError {
  readonly remedy = messageFor('remedy.checkAddressAndModel');
}

export class RateLimitError extends ServiceError {
  readonly remedy = messageFor('remedy.continuesAutomatically');
  readonly retryAfterMs: number | null;

  constructor(complaint: ServiceProblem, retryAfterMs: number | null, options?: ErrorOptions) {
    super(complaint, options);
    this.retryAfterMs = retryAfterMs;
  }
}

export class ServiceFaultError extends ServiceError {
  readonly remedy = messageFor('remedy.waitOrReport');
}

/** An answer that the reference does not describe: a redirect, a web page, a success without its data. */
export class UnexpectedAnswerError extends ServiceError {
  readonly remedy = messageFor('remedy.checkAddress');
}

/** No complete answer: the connection was refused or broke, or the answer was too late. */
export class NoAnswerError extends ServiceError {
  /** What is said of a proxy says what to do about it. */
  readonly remedy = this.code === 'proxy' ? '' : messageFor('remedy.checkNetwork');
}

/** The error for a complaint. Without a status, the problem is on our side or in the connection. */
export function serviceErrorFor(complaint: ServiceProblem, options?: ErrorOptions): ServiceError {
  const status = complaint.httpStatus;
  if (complaint.code === 'no_key' || complaint.code === 'bad_key') return new AuthenticationError(complaint, options);
  if (complaint.code === 'unusable_file' || complaint.code === 'unusable_request') {
    return new BadRequestError(complaint, options);
  }
  if (status === undefined) return new NoAnswerError(complaint, options);
  if (status === 401) return new AuthenticationError(complaint, options);
  if (status === 403) return new PermissionDeniedError(complaint, options);
  if (status === 404) return new NotFoundError(complaint, options);
  if (status === 429) return new RateLimitError(complaint, null, options);
  if (status >= 500) return new ServiceFaultError(complaint, options);
  if (status >= 400) return new BadRequestError(complaint, options);
  return new UnexpectedAnswerError(complaint, options);
}

export class ConnectTimeoutError extends ErrorWithText {
  readonly code = 'connect_timeout';
  constructor(ms: number) {
    super(messageFor('failure.connectTimeout', { seconds: seconds(ms) }));
  }
}

export class AnswerTimeoutError extends ErrorWithText {
  readonly code = 'answer_timeout';
  constructor(ms: number) {
    super(messageFor('failure.answerTimeout', { seconds: seconds(ms) }));
  }
}

export class StoppedError extends ErrorWithText {
  readonly code = 'stopped';
  constructor() {
    super(messageFor('failure.stoppedBeforeAnswer'));
  }
}

/** The proxy failed or refused. Nothing was sent through it. */
export class ProxyError extends ErrorWithText {
  readonly code = 'proxy';
}

/** The certificate is signed by someone else: an attacker, or for a good reason, such as a studio's own authority. */
const untrusted = messageFor('failure.untrustedAuthority');
const notFound = messageFor('failure.hostNotFound');
const unreachable = messageFor('failure.networkUnreachable');
const timedOut = messageFor('failure.connectionTimedOut');
const broke = messageFor('failure.connectionBroke');

const byCode: Readonly<Record<string, Message>> = {
  ECONNREFUSED: messageFor('failure.connectionRefused'),
  ENOTFOUND: notFound,
  EAI_AGAIN: notFound,
  ENETUNREACH: unreachable,
  EHOSTUNREACH: unreachable,
  ETIMEDOUT: timedOut,
  UND_ERR_CONNECT_TIMEOUT: timedOut,
  ECONNRESET: broke,
  EPIPE: broke,
  UND_ERR_SOCKET: broke,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: broke,
  UND_ERR_RES_EXCEEDED_MAX_SIZE: messageFor('failure.answerTooLarge'),
  DEPTH_ZERO_SELF_SIGNED_CERT: messageFor('failure.selfSigned'),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: messageFor('failure.certificateExpired'),
  ERR_TLS_CERT_ALTNAME_INVALID: messageFor('failure.certificateOfOther'),
};

/** A text for a network error. It shows nothing of the request, only facts of the connection. */
export function networkProblem(error: unknown): ServiceProblem {
  const code = systemCode(error) ?? 'no_connection';
  return { code, message: byCode[code] ?? toText(error) };
}

const seconds = (ms: number): number => Math.round(ms / 1000);
