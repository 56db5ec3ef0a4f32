import { messageFor, type Text } from '../../contract/messages/message.ts';
import { type Asset, toReadiness } from '../../contract/asset.ts';
import { BadRequestError, NotFoundError, PermissionDeniedError, ServiceError } from '../api/errors.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';
import { type Held, heldBy, type LibraryParts, type MediaTrouble, troubleOfError } from './library-parts.ts';
import { isSameAsset } from './sync.ts';

export type Check =
  | { readonly type: 'ready' }
  /** Not yet; asked again at `until` (ms). */
  | { readonly type: 'waiting'; readonly until: number; readonly status: string }
  /** It will never be: the service says so. */
  | { readonly type: 'useless'; readonly trouble: MediaTrouble }
  /** The service has no such asset, or not in this group. */
  | { readonly type: 'gone'; readonly trouble: MediaTrouble }
  /** The service does not let us ask. */
  | { readonly type: 'refused'; readonly trouble: MediaTrouble }
  | Held;

interface Watched {
  readonly check: Check;
  readonly checkedAt: number;
  /** Questions answered "not yet" in a row. */
  readonly asked: number;
}

/** How long an asset counts as ready after a check, ms. */
const TRUSTED_MS = 10 * 60_000;

/** Wait before the n-th question (from 0), ms: most assets are ready within seconds, videos may take minutes. */
function nextLook(asked: number, random: () => number): number {
  return Math.ceil(Math.min(30_000, 1000 * 1.6 ** asked) * (0.8 + 0.4 * random()));
}

/**
 * Knows which assets are ready (reference, "States and transitions", rule 3). Everybody who waits for one shares the
 * same few questions; nothing waits in here.
 */
export class ReadinessWatch {
  readonly #parts: LibraryParts;
  readonly #watched = new Map<string, Watched>();
  readonly #asking = new SingleFlight<Check>();

  constructor(parts: LibraryParts) {
    this.#parts = parts;
  }

  isReady(account: Account, assetId: string): boolean {
    const watched = this.#watched.get(assetKey(account, assetId));
    return watched?.check.type === 'ready' && this.#parts.ports.clock.now() - watched.checkedAt < TRUSTED_MS;
  }

  /** Asks the service, unless the answer is recent or it is too early to ask again. */
  async check(account: Account, assetId: string, groupId: string | null): Promise<Check> {
    const name = assetKey(account, assetId);
    if (this.isReady(account, assetId)) return { type: 'ready' };
    const last = this.#watched.get(name)?.check;
    if ((last?.type === 'waiting' || last?.type === 'held') && this.#parts.ports.clock.now() < last.until) return last;
    return this.#asking.run(name, () => this.#ask(account, assetId, groupId));
  }

  forget(): void {
    this.#watched.clear();
  }

  letPass(account: Account, assetId: string): void {
    this.#watched.set(assetKey(account, assetId), {
      check: { type: 'ready' },
      checkedAt: this.#parts.ports.clock.now(),
      asked: 0,
    });
  }

  async #ask(account: Account, assetId: string, groupId: string | null): Promise<Check> {
    const { clients, stopping } = this.#parts;
    const name = assetKey(account, assetId);
    const asked = this.#watched.get(name)?.asked ?? 0;
    const client = clients.forAccount(account);
    if (!client) return { type: 'waiting', until: this.#parts.ports.clock.now() + 1000, status: 'not asked yet' };
    try {
      const query = groupId === null ? {} : { groupId };
      const asset = await client.assets.get(assetId, query, { signal: stopping, tries: 1 });
      const check = this.#judge(account, asset, asked);
      this.#watched.set(name, { check, checkedAt: this.#parts.ports.clock.now(), asked: asked + 1 });
      return check;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isGone(error)) return { type: 'gone', trouble: troubleOfError(error) };
      if (isRefusal(error)) return { type: 'refused', trouble: troubleOfError(error) };
      const check = heldBy(this.#parts, account, error, asked);
      this.#watched.set(name, { check, checkedAt: this.#parts.ports.clock.now(), asked: asked + 1 });
      return check;
    }
  }

  #judge(account: Account, asset: Asset, asked: number): Check {
    const known = this.#parts.assets.asset(account, asset.id);
    const isNews = !known || known.missingSince !== null || !isSameAsset(known, asset);
    if (isNews) this.#parts.assets.saveAsset(account, { ...asset, groupId: asset.groupId ?? known?.groupId ?? null });
    const status = asset.preparationStatus ?? asset.status;
    switch (toReadiness(asset)) {
      case 'ready':
        return { type: 'ready' };
      case 'waiting':
        return {
          type: 'waiting',
          until: this.#parts.ports.clock.now() + nextLook(asked, this.#parts.ports.random),
          status,
        };
      case 'failed': {
        const { syncError: reason } = asset;
        const problem =
          reason === undefined
            ? messageFor('failure.assetFailedSilently')
            : messageFor('failure.assetFailed', { reason });
        return useless(asset, 'asset_failed', problem, messageFor('remedy.correctFile'));
      }
      case 'disabled': {
        const problem = messageFor('failure.assetDisabled', { asset: asset.id });
        return useless(asset, 'asset_disabled', problem, messageFor('remedy.useOtherFile'));
      }
    }
  }
}

const assetKey = (account: Account, assetId: string): string => `${accountKey(account)} ${assetId}`;

function isGone(error: ServiceError): boolean {
  return error instanceof NotFoundError || error.code === 'asset_group_not_found' || error.code === 'invalid_group_id';
}

/** Answers that asking again will not change. */
function isRefusal(error: ServiceError): boolean {
  return error instanceof BadRequestError || error instanceof PermissionDeniedError;
}

function useless({ requestId, traceId }: Asset, code: string, message: Text, remedy: Text): Check {
  const ids = { ...(requestId !== undefined && { requestId }), ...(traceId !== undefined && { traceId }) };
  return { type: 'useless', trouble: { code, message, remedy, ...ids } };
}
