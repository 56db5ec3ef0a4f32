import { messageFor, type Text } from '../../contract/messages/message.ts';
import { redactor } from './answer.ts';
import type { Ceilings } from './ceilings.ts';
import type { Submit } from './calls.ts';
import { UnusableFileError } from './sent-files.ts';
import type { SubmitOutcome } from './outcomes.ts';
import { postOnce } from './post-once.ts';
import { readSubmit } from './read-outcome.ts';
import { headersFor, openBody, usableKey, usablePath, type OpenBody } from './request-parts.ts';
import type { CallParts } from './send.ts';

/** See `ServiceClient.submit`. */
export function createSubmit(options: CallParts & { readonly ceilings: Ceilings | undefined }): Submit {
  const { address, clock, logger, timeouts, limits, queue, ceilings } = options;
  const note = (outcome: SubmitOutcome, model: string | undefined): void => {
    if (model === undefined || !ceilings) return queue.note(outcome);
    queue.note(outcome, (refusal) => ceilings.throttled(model, refusal));
    if (outcome.type === 'accepted') ceilings.accepted(model);
  };
  return async (request, { signal, spool, model } = {}) => {
    const usable = usableKey(options.apiKey());
    if ('complaint' in usable) return { type: 'never_sent', complaint: usable.complaint, blocked: true };
    const path = usablePath(request.path);
    if (path === null) return blocked('unusable_request', messageFor('failure.notAPath', { path: request.path }));

    let body: OpenBody;
    try {
      body = await openBody(request);
    } catch (error) {
      if (error instanceof UnusableFileError) return blocked(error.code, error.text);
      throw error;
    }

    const synchronous = request.answers !== 'task';
    try {
      const report = await postOnce({
        origin: address.origin,
        path: address.prefix + path,
        headers: { ...headersFor(usable.key, request.answers), ...body.headers },
        body: body.content,
        connector: options.connector,
        connectMs: timeouts.connectMs,
        answerMs: synchronous ? timeouts.answerMs : timeouts.submitMs,
        maxAnswerBytes: synchronous ? limits.result : limits.json,
        spool: spool ?? null,
        signal,
        clock,
      });
      const outcome = readSubmit(report, request, clock.now(), redactor(usable.key));
      note(outcome, model);
      logger.debug('Made a submit', { operation: request.operation, outcome: outcome.type });
      return outcome;
    } finally {
      await body.close();
    }
  };
}

function blocked(code: string, message: Text): SubmitOutcome {
  return { type: 'never_sent', complaint: { code, message }, blocked: true };
}
