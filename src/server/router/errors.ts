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
import { DailiesError, toMessage, toDiskTrouble, refused, RefusedError } from '../../engine/base/errors.ts';
import type { Logger } from '../../engine/base/ports.ts';
import { MAX_TROUBLES, type VerifyNews } from '../../contract/project.ts';
import type { ExportProgress } from '../../contract/review.ts';
import type { Engine } from '../../engine/engine.ts';

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

/** Reports the progress of an export until it is done or the listener leaves; then it removes its copies. */
export const forwardExport = (
  copying: ReturnType<Engine['projects']['export']> | ReturnType<Engine['review']['export']>,
  left: AbortSignal,
): AsyncGenerator<ExportProgress, void, undefined> =>
  forward<Copied, Exported, ExportProgress>(
    copying,
    left,
    (copied) => ({ type: 'copied', ...copied }),
    (exported) => ({ type: 'done', ...exported }),
  );

type Copied = Omit<Extract<ExportProgress, { type: 'copied' }>, 'type'>;
type Exported = Omit<Extract<ExportProgress, { type: 'done' }>, 'type'>;

/** Reports the progress of a check and what it finds; at its end, calls `missing` with the takes that miss a file. */
export function forwardVerify(
  verifying: ReturnType<Engine['views']['verify']>,
  left: AbortSignal,
  missing: (takeIds: readonly string[]) => Promise<void>,
): AsyncGenerator<VerifyNews, void, undefined> {
  const incomplete = new Set<string>();
  let troubles = 0;
  return forward(
    verifying,
    left,
    (news): VerifyNews | null => {
      if (news.type === 'checked') return news;
      troubles += 1;
      if (news.problem === 'missing') incomplete.add(news.takeId);
      return troubles <= MAX_TROUBLES ? news : null;
    },
    async (verified): Promise<VerifyNews> => {
      await missing([...incomplete]);
      return { type: 'done', ...verified, troubles };
    },
  );
}

type Failed = Extract<ExportProgress, { type: 'failed' }>;

/** Reports what a generator yields and returns, or why it is refused. Closes it when the listener leaves. */
async function* forward<Step, Result, News>(
  steps: AsyncGenerator<Step, Result, undefined>,
  left: AbortSignal,
  step: (step: Step) => News | null,
  end: (result: Result) => News | Promise<News>,
): AsyncGenerator<News | Failed, void, undefined> {
  try {
    while (!left.aborted) {
      const { done, value } = await steps.next();
      if (done) {
        yield await end(value);
        return;
      }
      const news = step(value);
      if (news !== null) yield news;
    }
  } catch (error) {
    if (left.aborted) return;
    if (!(error instanceof RefusedError)) throw error;
    yield { type: 'failed', message: error.text, remedy: error.remedy };
  } finally {
    await steps.return(undefined as never);
  }
}
