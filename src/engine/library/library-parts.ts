import { messageFor, type Text } from '../../contract/messages/message.ts';
import { NO_INCIDENT, type StepReport } from '../machine/job-facts.ts';
import type { Settings } from '../../contract/settings.ts';
import type { AssetStore, AssetUseStore, MediaStore } from '../db/asset-store.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { ServiceClients } from '../api/service-clients.ts';
import type { Ports } from '../base/ports.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { Failure } from '../../contract/failure.ts';
import { AuthenticationError, NoAnswerError, RateLimitError, type ServiceError } from '../api/errors.ts';
import { LocalFileError } from './identity.ts';
import { notAskedProblem } from '../api/request-queue.ts';
import { backoff } from '../api/retry.ts';
import type { Account } from '../db/service-store.ts';

export interface LibraryParts {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly clients: ServiceClients;
  readonly assets: AssetStore;
  readonly media: MediaStore;
  readonly uploads: UploadStore;
  readonly uses: AssetUseStore;
  /** Aborted when the engine stops: uploads end early and are looked for at the next start. */
  readonly stopping: AbortSignal;
}

/** It could not be done now, through no one's fault: it is tried again at `until` (ms). */
export interface Held {
  readonly type: 'held';
  readonly until: number;
  readonly report: StepReport;
  readonly why: Text;
}

export interface Failed {
  readonly type: 'failed';
  readonly trouble: MediaTrouble;
}

/** What went wrong with a medium or a group, for people. `code`: the service's own where it gave one. */
export type MediaTrouble = Omit<Failure, 'cost' | 'at'>;

type Words = Pick<MediaTrouble, 'message' | 'remedy'>;

/** The codes of the reference ("Errors") and the statuses that say something about a file or a group. */
const plainWords: Readonly<Record<string, Words>> = {
  invalid_group_id: { message: messageFor('failure.invalidGroupId'), remedy: messageFor('remedy.writeGroup') },
  asset_group_not_found: { message: messageFor('failure.groupGone'), remedy: messageFor('remedy.nameOtherGroup') },
  missing_name: { message: messageFor('failure.nameMissing'), remedy: messageFor('remedy.enterName') },
  http_413: { message: messageFor('failure.fileTooLarge'), remedy: messageFor('remedy.saveSmaller') },
  http_415: { message: messageFor('failure.fileTypeRefused'), remedy: messageFor('remedy.saveAsOtherType') },
};

export function toTrouble({ code, message, ...facts }: ServiceProblem): MediaTrouble {
  const byStatus = facts.httpStatus === undefined ? 'refused' : `http_${String(facts.httpStatus)}`;
  const words = plainWords[code ?? ''] ?? plainWords[byStatus];
  return {
    code: code ?? byStatus,
    message: words?.message ?? messageFor('failure.serviceSays', { reason: message }),
    remedy: words?.remedy ?? messageFor('remedy.correctAndRetry'),
    ...facts,
  };
}

export function troubleOfError(error: ServiceError | LocalFileError): MediaTrouble {
  if (error instanceof LocalFileError) return { code: error.code, message: error.text, remedy: error.remedy };
  return toTrouble(error.problem);
}

/** As the journal keeps it: uploads cost nothing. */
export const failureFor = (trouble: MediaTrouble, at: number): Failure => ({ ...trouble, cost: 'nothing', at });

/** The same as a failure of a shot, which was not sent because of it. `what` names the medium and its place. */
export const failureOfShot = (trouble: MediaTrouble, what: Text, at: number): Failure => ({
  ...failureFor(trouble, at),
  message: messageFor('common.namedValue', { name: what, value: trouble.message }),
});

/** A request had no usable answer: when to try again, and what that says about the service. `failures` in a row. */
export function heldBy(
  { clients, ports: { clock, random } }: Pick<LibraryParts, 'clients' | 'ports'>,
  account: Account,
  error: ServiceError,
  failures: number,
): Held {
  const now = clock.now();
  const why = error.text;
  if (error instanceof RateLimitError) {
    const until = clients.queues(account).poll.heldUntil() ?? now;
    const wasAsked = error.code !== notAskedProblem.code;
    return held(until, why, wasAsked ? { saw: 'answer' } : NO_INCIDENT);
  }
  // Half the backoff is certain, so that a run of bad luck with jitter cannot become a hammer.
  const until = now + Math.ceil(1000 + backoff(failures, random));
  return held(until, why, toReport(error));
}

export const held = (until: number, why: Text, report: StepReport = NO_INCIDENT): Held => ({
  ...{ type: 'held', until, why, report },
});

/** The account's key is not known any more: the account is found again when the queue comes back. */
export const keyChanged = ({ ports: { clock } }: Pick<LibraryParts, 'ports'>): Held =>
  held(clock.now() + 1000, messageFor('failure.keyChanged'));

function toReport(error: ServiceError): StepReport {
  const message = error.text;
  if (error instanceof AuthenticationError) return { saw: 'key_refused', message };
  if (error instanceof NoAnswerError && error.code !== 'stopped') return { saw: 'no_connection', message };
  return NO_INCIDENT;
}
