import type { ShotSpec } from '../../contract/shot.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';
import { driverFor } from '../kinds/index.ts';

/** After a day the entry is tried again: access may have been granted. */
const RECHECK_MS = 24 * 3_600_000;

/** True for a day after the service said that it has no such optional endpoint for shots of this kind. */
export function isEntryMissing(service: ServiceStore, account: Account, shot: ShotSpec, now: number): boolean {
  const fact = driverFor(shot.kind).optionalEntry?.fact(shot);
  const since = fact === undefined ? null : service.accountFact(account, fact);
  return since !== null && now - Number(since) <= RECHECK_MS;
}

export function learnEntryIsMissing(service: ServiceStore, account: Account, shot: ShotSpec, now: number): void {
  const fact = driverFor(shot.kind).optionalEntry?.fact(shot);
  if (fact !== undefined) service.saveAccountFact(account, fact, String(now));
}
