import type { ServiceComplaint } from '../machine/failures.ts';
import { messageOf, systemCode } from '../base/errors.ts';

/** No connection within the time for one. */
export class ConnectTimeoutError extends Error {
  readonly code = 'connect_timeout';
  constructor(ms: number) {
    super(`No connection to the service within ${seconds(ms)}.`);
  }
}

/** The connection stood, and no whole answer came in time. */
export class AnswerTimeoutError extends Error {
  readonly code = 'answer_timeout';
  constructor(ms: number) {
    super(`No whole answer from the service within ${seconds(ms)}.`);
  }
}

/** The caller's signal ended the call. */
export class StoppedError extends Error {
  readonly code = 'stopped';
  constructor() {
    super('Stopped on our side before the answer came.');
  }
}

/** Another party signs for the service: an attacker, or for a good reason, such as a studio's own authority. */
const UNTRUSTED =
  'The certificate of the service is signed by an authority that this machine does not trust, so nothing was sent. Check the address. If a proxy or your company signs with its own authority, add it to those that this machine trusts.';

const inWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing answers at the address of the service (connection refused).',
  ENOTFOUND: 'The address of the service was not found: the name may be wrong, or there is no network.',
  EAI_AGAIN: 'The address of the service could not be looked up: there may be no network.',
  ENETUNREACH: 'The network of the service cannot be reached.',
  EHOSTUNREACH: 'The host of the service cannot be reached.',
  ETIMEDOUT: 'The connection to the service timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection to the service timed out.',
  ECONNRESET: 'The connection broke before a whole answer came.',
  EPIPE: 'The connection broke before the request was sent whole.',
  UND_ERR_SOCKET: 'The connection broke before a whole answer came.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The connection broke before a whole answer came.',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'The answer of the service was larger than any answer should be.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the service is self-signed and was not accepted.',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'The certificate of the service has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the service is for another name.',
};

/** What went wrong on the way, for people. Never shows anything of the request but the facts of the connection. */
export function networkComplaint(error: unknown): ServiceComplaint {
  const code = systemCode(error);
  if (code === undefined) return { code: 'no_connection', message: messageOf(error) };
  return { code, message: inWords[code] ?? messageOf(error) };
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
