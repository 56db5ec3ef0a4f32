import { ServiceAddressError } from '../api/address.ts';
import type { Job, Step } from '../db/job-store.ts';
import type { Account } from '../db/service-store.ts';
import { KeyMissingError } from '../base/errors.ts';
import { attemptOf } from '../machine/job-machine.ts';
import type { Lane } from './lanes.ts';
import type { StepContext } from './step-context.ts';

/**
 * Whose account a step of a job concerns: the one it was sent with, else the lane's own. Without one the lane is halted,
 * and there is none.
 */
export function accountOf(
  { clients, settings }: StepContext,
  { service, gates }: Lane,
  step: Step,
  job: Job,
): Account | null {
  if (step !== 'submit' && step !== 'prepare') return attemptOf(job.state);
  try {
    const account = clients.current(service);
    if (account) return account;
    if (service === null && settings.baseUrl === '') {
      gates.halt('key_missing', 'Neither address nor key of the service is set. Set both.');
      return null;
    }
    throw new KeyMissingError();
  } catch (error) {
    if (!(error instanceof KeyMissingError) && !(error instanceof ServiceAddressError)) throw error;
    gates.halt('key_missing', `${error.message} ${error.remedy}`);
    return null;
  }
}
