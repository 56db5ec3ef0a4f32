import type { ServiceComplaint } from '../machine/failures.ts';
import { DailiesError } from '../base/errors.ts';

/** What the service said, as an error: one class per family of statuses (reference, "Errors"). */
export abstract class ServiceError extends DailiesError {
  readonly code: string;
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;

  constructor(complaint: ServiceComplaint, options?: ErrorOptions) {
    super(complaint.message, options);
    this.name = new.target.name;
    this.httpStatus = complaint.httpStatus;
    this.code =
      complaint.code ?? (complaint.httpStatus === undefined ? 'no_answer' : `http_${String(complaint.httpStatus)}`);
    this.requestId = complaint.requestId;
    this.traceId = complaint.traceId;
  }
}

/** 400, 422 and other refusals of what was asked; also a request that could not be made of what we have. */
export class BadRequestError extends ServiceError {
  readonly remedy = 'Correct the shot or the settings as the message says.';
}

/** 401, or no key that could be sent. */
export class AuthenticationError extends ServiceError {
  readonly remedy = 'Set the right key for this service.';
}

/** 403. */
export class PermissionDeniedError extends ServiceError {
  readonly remedy = 'Choose a model that the account may use, or ask the service for access.';
}

/** 404. */
export class NotFoundError extends ServiceError {
  readonly remedy = 'Check the service address and the model.';
}

/** 429. */
export class RateLimitError extends ServiceError {
  readonly remedy = 'Nothing to do: Dailies asks again when the service allows it.';
  /** The service's floor, ms; null when it named none. */
  readonly retryAfterMs: number | null;

  constructor(complaint: ServiceComplaint, retryAfterMs: number | null, options?: ErrorOptions) {
    super(complaint, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** 5xx. */
export class ServiceFaultError extends ServiceError {
  readonly remedy = 'The service has a fault. Wait; if it lasts, report the request id to the service.';
}

/** An answer that is not what the reference describes: a redirect, a web page, a success without its data. */
export class UnexpectedAnswerError extends ServiceError {
  readonly remedy = 'Check that the service address is right; a proxy or a sign-in page may be in between.';
}

/** No whole answer: refused, broken, or too late. */
export class NoAnswerError extends ServiceError {
  readonly remedy = 'Check the network and the service address.';
}

/** The error for a complaint; one without a status is of our own side or of the connection. */
export function serviceErrorOf(complaint: ServiceComplaint, options?: ErrorOptions): ServiceError {
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

/** The facts of an error, to be stored with what failed. */
export function toComplaint(error: ServiceError): ServiceComplaint {
  return {
    code: error.code,
    message: error.message,
    ...(error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus }),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    ...(error.traceId === undefined ? {} : { traceId: error.traceId }),
  };
}
