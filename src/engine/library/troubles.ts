import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { Failure } from '../../contract/failure.ts';
import { toProblem, type ServiceError } from '../api/errors.ts';
import { LocalFileError } from './identity.ts';

/** What went wrong with a medium or a group, for people. Uploads are free, so it names no cost. */
export interface Trouble {
  /** The service's own code where it gave one. */
  readonly code: string;
  readonly problem: Text;
  readonly remedy: Text;
  readonly httpStatus?: number;
  readonly requestId?: string;
  readonly traceId?: string;
}

type Words = Pick<Trouble, 'problem' | 'remedy'>;

/** The codes of the reference ("Errors") and the statuses that say something about a file or a group. */
const plainWords: Readonly<Record<string, Words>> = {
  invalid_group_id: { problem: messageFor('failure.invalidGroupId'), remedy: messageFor('remedy.writeGroup') },
  asset_group_not_found: { problem: messageFor('failure.groupGone'), remedy: messageFor('remedy.nameOtherGroup') },
  missing_name: { problem: messageFor('failure.groupNameMissing'), remedy: messageFor('remedy.giveGroupName') },
  missing_update_fields: { problem: messageFor('failure.nothingToChange'), remedy: messageFor('remedy.giveChange') },
  http_413: { problem: messageFor('failure.fileTooLarge'), remedy: messageFor('remedy.makeFileSmaller') },
  http_415: { problem: messageFor('failure.fileTypeRefused'), remedy: messageFor('remedy.saveAsOtherType') },
};

/** The service's complaint in plain words, where we have them. */
export function troubleOf(complaint: ServiceProblem): Trouble {
  const byStatus = complaint.httpStatus === undefined ? 'refused' : `http_${String(complaint.httpStatus)}`;
  const words = plainWords[complaint.code ?? ''] ?? plainWords[byStatus];
  const { httpStatus, requestId, traceId } = complaint;
  return {
    code: complaint.code ?? byStatus,
    problem: words?.problem ?? messageFor('failure.serviceSays', { reason: complaint.message }),
    remedy: words?.remedy ?? messageFor('remedy.correctAndRetry'),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}

export function troubleOfError(error: ServiceError | LocalFileError): Trouble {
  if (error instanceof LocalFileError) return { code: error.code, problem: error.text, remedy: error.remedy };
  return troubleOf(toProblem(error));
}

/** As the journal keeps it: uploads cost nothing. */
export function failureOf({ problem, ...trouble }: Trouble, at: number): Failure {
  return { ...trouble, message: problem, cost: 'nothing', at };
}

/** The same as a failure of a shot, which was not sent because of it. `what` names the medium and its place. */
export function failureOfShot(trouble: Trouble, what: Text, at: number): Failure {
  return { ...failureOf(trouble, at), message: messageFor('failure.of', { name: what, reason: trouble.problem }) };
}

/** A stored failure of an upload in words, for the next shot that needs the same file. */
export function troubleOfFailure({ code, message, remedy, httpStatus, requestId, traceId }: Failure): Trouble {
  return {
    code,
    problem: message,
    remedy,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}
