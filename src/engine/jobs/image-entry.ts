import type { ShotSpec } from '../../contract/shot.ts';
import type { Account, ServiceStore } from '../db/service-store.ts';

/** After a day the entry is tried again: access may have been granted. */
const RECHECK_MS = 24 * 3_600_000;

/**
 * False for a day after the asynchronous image entry said that it is not there for the shot's model and operation. Of
 * other models that says nothing.
 */
export function mayUseAsyncImages(service: ServiceStore, account: Account, shot: ShotSpec, now: number): boolean {
  const since = service.accountFact(account, factOf(shot));
  return since === null || now - Number(since) > RECHECK_MS;
}

export function learnNoAsyncImages(service: ServiceStore, account: Account, shot: ShotSpec, now: number): void {
  service.saveAccountFact(account, factOf(shot), String(now));
}

const factOf = ({ model, params }: ShotSpec): string =>
  `no_async_images_since ${params.operation === 'edit' ? 'edit' : 'generate'} ${model}`;
