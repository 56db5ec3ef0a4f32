import type { ServiceProblem } from '../machine/failures.ts';
import { messageFor, type Message } from '../../contract/messages/message.ts';
import { ErrorWithText, systemCode, textOf } from '../base/errors.ts';

/** No connection within the time limit. */
export class ConnectTimeoutError extends ErrorWithText {
  readonly code = 'connect_timeout';
  constructor(ms: number) {
    super(messageFor('failure.connectTimeout', { seconds: seconds(ms) }));
  }
}

/** Connected, but no complete answer in time. */
export class AnswerTimeoutError extends ErrorWithText {
  readonly code = 'answer_timeout';
  constructor(ms: number) {
    super(messageFor('failure.answerTimeout', { seconds: seconds(ms) }));
  }
}

/** The caller's signal ended the call. */
export class StoppedError extends ErrorWithText {
  readonly code = 'stopped';
  constructor() {
    super(messageFor('failure.stoppedBeforeAnswer'));
  }
}

/** The certificate is signed by someone else: an attacker, or for a good reason, such as a studio's own authority. */
const untrusted = messageFor('failure.untrustedAuthority');
const timedOut = messageFor('failure.connectionTimedOut');
const broke = messageFor('failure.connectionBroke');

const byCode: Readonly<Record<string, Message>> = {
  ECONNREFUSED: messageFor('failure.connectionRefused'),
  ENOTFOUND: messageFor('failure.hostNotFound'),
  EAI_AGAIN: messageFor('failure.lookupFailed'),
  ENETUNREACH: messageFor('failure.networkUnreachable'),
  EHOSTUNREACH: messageFor('failure.hostUnreachable'),
  ETIMEDOUT: timedOut,
  UND_ERR_CONNECT_TIMEOUT: timedOut,
  ECONNRESET: broke,
  EPIPE: messageFor('failure.sendingBroke'),
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
  return { code, message: byCode[code] ?? textOf(error) };
}

const seconds = (ms: number): number => Math.round(ms / 1000);
