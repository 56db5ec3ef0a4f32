import type { ServiceComplaint } from '../machine/failures.ts';
import type { Failure } from '../../contract/failure.ts';
import type { ServiceError } from '../api/errors.ts';
import { LocalFileError } from './identity.ts';

/** What went wrong with a medium or a group, as sentences for people. Uploads are free, so it names no cost. */
export interface Trouble {
  /** The service's own code where it gave one. */
  readonly code: string;
  readonly problem: string;
  readonly remedy: string;
  readonly httpStatus?: number;
  readonly requestId?: string;
  readonly traceId?: string;
}

type Words = Pick<Trouble, 'problem' | 'remedy'>;

/** The codes of the reference ("Errors") and the statuses that say something about a file or a group. */
const plainWords: Readonly<Record<string, Words>> = {
  invalid_group_id: {
    problem: 'This is not the id of an asset group: ids look like group_1a2b.',
    remedy: 'Write the id as the service shows it, or the name of the group.',
  },
  asset_group_not_found: {
    problem: 'The asset group no longer exists, is disabled, or belongs to another account.',
    remedy: 'Name another group in the column group, or none for the default group.',
  },
  missing_name: { problem: 'A group needs a name.', remedy: 'Give it a name.' },
  missing_update_fields: {
    problem: 'Nothing was given to change.',
    remedy: 'Give a new name, a new description, or both.',
  },
  http_413: { problem: 'The file is too large for the service.', remedy: 'Make it smaller and name the new file.' },
  http_415: { problem: 'The service does not accept files of this type.', remedy: 'Save it as another type.' },
};

/** What the service said, in plain words where there are some. */
export function troubleOf(complaint: ServiceComplaint): Trouble {
  const byStatus = complaint.httpStatus === undefined ? 'refused' : `http_${String(complaint.httpStatus)}`;
  const words = plainWords[complaint.code ?? ''] ?? plainWords[byStatus];
  const { httpStatus, requestId, traceId } = complaint;
  return {
    code: complaint.code ?? byStatus,
    problem: words?.problem ?? `The service says: ${complaint.message}`,
    remedy: words?.remedy ?? 'The shot was not sent. Correct what the message names, then retry the shot.',
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  };
}

export function troubleOfError(error: ServiceError | LocalFileError): Trouble {
  if (error instanceof LocalFileError) return { code: error.code, problem: error.message, remedy: error.remedy };
  const { code, message, httpStatus, requestId, traceId } = error;
  return troubleOf({
    code,
    message,
    ...(httpStatus !== undefined && { httpStatus }),
    ...(requestId !== undefined && { requestId }),
    ...(traceId !== undefined && { traceId }),
  });
}

/** As the journal keeps it: uploads cost nothing. */
export function failureOf({ problem, ...trouble }: Trouble, at: number): Failure {
  return { ...trouble, message: problem, cost: 'nothing', at };
}

/** The same as a failure of a shot, which was not sent because of it. `what` names the medium and its place. */
export function failureOfShot(trouble: Trouble, what: string, at: number): Failure {
  return { ...failureOf(trouble, at), message: `${what}: ${trouble.problem} Nothing was sent.` };
}

/** What a stored failure of an upload says, for the next shot that wants the same file. */
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
