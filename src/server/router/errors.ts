import { messageFor } from '../../contract/messages/message.ts';
import { ORPCError, type ImplementerInternalWithMiddlewares } from '@orpc/server';
import type { Contract } from '../../contract/procedures.ts';
import { REFUSED_STATUS } from '../../contract/failure.ts';
import {
  AuthenticationError,
  NoAnswerError,
  NotFoundError,
  ServiceError,
  UnexpectedAnswerError,
} from '../../engine/api/errors.ts';
import { DailiesError, toMessage, toDiskTrouble, refused } from '../../engine/base/errors.ts';
import type { Logger } from '../../engine/base/ports.ts';

/** The contract with what is told of errors. Named, since the compiler writes no type of this length out. */
export type Implementer = ImplementerInternalWithMiddlewares<Contract, Record<never, never>, Record<never, never>>;

export function errorForCaller(error: unknown, path: readonly string[], logger: Logger): Error {
  if (error instanceof DailiesError) return toAnswer(error);
  const trouble = toDiskTrouble(error);
  if (trouble) {
    logger.warn('A call met trouble with a disk', { call: path.join('.'), reason: toMessage(error) });
    return toAnswer(trouble);
  }
  // Among others, input that does not fit the contract: the caller's bug, which the answer names.
  if (error instanceof ORPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  logger.error('A call failed in a way it should not', {
    call: path.join('.'),
    reason: toMessage(error),
    stack: error instanceof Error ? error.stack : undefined,
    cause: error instanceof Error && error.cause instanceof Error ? toMessage(error.cause) : undefined,
  });
  return new ORPCError('INTERNAL_SERVER_ERROR', {
    message: 'Something went wrong in Dailies. Details are in the log.',
    // For a caller in this process: no wire carries it.
    cause: error,
  });
}

function toAnswer(error: DailiesError): Error {
  const { code, text, remedy, message } = error;
  const data = { code, text, remedy, ...(error instanceof ServiceError && { service: whatOf(error) }) };
  return new ORPCError('REFUSED', { status: REFUSED_STATUS, message, data, cause: error });
}

function whatOf(error: ServiceError): 'key' | 'way' | 'request' {
  if (error instanceof AuthenticationError) return 'key';
  const isAboutTheWay = [NoAnswerError, UnexpectedAnswerError, NotFoundError].some((type) => error instanceof type);
  return isAboutTheWay ? 'way' : 'request';
}

export function found<Value>(value: Value | null, what: 'asset' | 'batch' | 'file' | 'job'): Value {
  if (value !== null) return value;
  throw refused('not_found', messageFor('failure.noSuchItem', { what }), 'remedy.loadJobsAgain');
}
