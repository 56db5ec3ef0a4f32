import { messageFor, type Text } from '../../contract/messages/message.ts';
import { type TakeAsset, type Asset, toReadiness } from '../../contract/asset.ts';
import { type Account, accountKey } from '../db/service-store.ts';
import type { FileUploads } from './file-uploads.ts';
import { type Groups, isSameAsset } from './sync.ts';
import { LocalFileError } from './identity.ts';
import {
  type Failed,
  failureFor,
  type Held,
  type LibraryParts,
  type MediaTrouble,
  troubleOfError,
  heldBy,
} from './library-parts.ts';
import { type LocalNeed, type NamedNeed, type Needs, requireAgreed } from './needs.ts';
import { ALL_SAID } from './uploads.ts';
import { BadRequestError, NotFoundError, PermissionDeniedError, ServiceError } from '../api/errors.ts';
import { SingleFlight } from '../base/keyed-mutex.ts';

interface PrepareRequest {
  readonly account: Account;
  readonly model: string;
  readonly needs: Needs;
  readonly agreed: readonly string[];
  /** What files at these paths must hold (sha256, hex): they were chosen by their content. */
  readonly contents: ReadonlyMap<string, string | undefined>;
  /** Group for uploads, id or name; the service's default group when absent. */
  readonly group: string | undefined;
  /** Assets that the take was prepared with before: kept for good. */
  readonly kept: readonly TakeAsset[];
  /** When a person last asked for the shot, ms. */
  readonly since: number;
}

export type Prepared =
  | { readonly type: 'ready'; readonly uses: readonly TakeAsset[] }
  /** Uploaded, and not usable yet: looked at again at `until` (ms). */
  | { readonly type: 'waiting'; readonly until: number }
  /** The shot cannot be sent. `what` names the medium and its place. */
  | { readonly type: 'failed'; readonly what: Text; readonly trouble: MediaTrouble }
  | Held;

type Medium = { readonly type: 'ready'; readonly use: TakeAsset | null } | Exclude<Prepared, { type: 'ready' }>;

/** Gets the media of shots ready: uploads missing files, then waits until the service allows their use. */
export class Preparer {
  readonly #parts: LibraryParts;
  readonly #files: FileUploads;
  readonly #groups: Groups;
  readonly watch: ReadinessWatch;

  constructor(parts: LibraryParts, files: FileUploads, groups: Groups, watch: ReadinessWatch) {
    this.#parts = parts;
    this.#files = files;
    this.#groups = groups;
    this.watch = watch;
  }

  isPrepared(account: Account, model: string, needs: Needs, kept: readonly TakeAsset[]): boolean {
    const covered = new Map(kept.map((use) => [use.path, use.assetId]));
    const ids = [...needs.local.map(({ cell }) => covered.get(cell)), ...needs.named.map(({ assetId }) => assetId)];
    if (needs.named.some((named) => this.#otherModel(account, named, model) !== null)) return false;
    return ids.every((id) => id !== undefined && this.watch.isReady(account, id));
  }

  async prepare(request: PrepareRequest): Promise<Prepared> {
    const media = await Promise.all([
      ...request.needs.local.map((need) => this.#local(request, need)),
      ...request.needs.named.map((named) => this.#named(request, named)),
    ]);
    // Reports the first failure in the order of the shot's columns.
    const failed = media.find((medium) => medium.type === 'failed');
    if (failed) return failed;
    const held = media.filter((medium) => medium.type === 'held').sort((a, b) => b.until - a.until)[0];
    if (held) return held;
    const waiting = media.filter((medium) => medium.type === 'waiting');
    if (waiting.length > 0) return { type: 'waiting', until: Math.max(...waiting.map(({ until }) => until)) };
    return { type: 'ready', uses: media.flatMap((medium) => (medium.type === 'ready' && medium.use) || []) };
  }

  async #local(request: PrepareRequest, need: LocalNeed): Promise<Medium> {
    const kept = request.kept.find(({ path }) => path === need.cell);
    const what = messageFor('failure.mediumOfColumn', { medium: need.cell, column: need.parameter });
    if (kept) return this.#kept(request, kept, what);
    const group = await this.#groupId(request);
    if (group.type !== 'found')
      return this.#withMedium(group, messageFor('failure.groupNamed', { group: request.group ?? '' }));
    try {
      await requireAgreed(need.path, request.agreed);
      const { account, model, since } = request;
      const { role, purpose, type, parameter, cell } = need;
      const brought = await this.#files.bring(account, need.path, {
        ...{ model, mode: 'asset', purpose, role, groupId: group.groupId, type, triedAgainAfter: since },
        says: need.isForModel ? ALL_SAID : [],
        holds: request.contents.get(need.path),
      });
      if (brought.type !== 'arrived') return this.#withMedium(brought, what);
      const { assetId, arrivedAt, sha256 } = brought;
      const use: TakeAsset = { parameter, path: cell, assetId, ...(sha256 !== undefined && { sha256 }) };
      const check = await this.#check(account, assetId, group.groupId || null);
      switch (check.type) {
        case 'refused':
          return { type: 'failed', what, trouble: check.trouble };
        case 'useless':
          // From now on the file has no asset: a retry by a person uploads it again.
          this.#giveUp(request, assetId, check.trouble);
          return { type: 'failed', what, trouble: check.trouble };
        case 'gone':
          this.#parts.assets.markMissing(account, 'asset', assetId, this.#parts.ports.clock.now());
          // Deleted before this shot was queued: upload the file again. Deleted just now: tell the person.
          if (arrivedAt < since) return { type: 'waiting', until: this.#parts.ports.clock.now() };
          return {
            type: 'failed',
            what,
            trouble: { ...check.trouble, remedy: messageFor('remedy.retryUploadsAgain') },
          };
        default:
          // Not sent before the service says that it may be used.
          return this.#hopeful(request, check, what, use, arrivedAt);
      }
    } catch (error) {
      if (error instanceof LocalFileError) return { type: 'failed', what, trouble: troubleOfError(error) };
      throw error;
    }
  }

  /** An asset the take was prepared with before. The take keeps it: with another one it would be another take. */
  async #kept(request: PrepareRequest, use: TakeAsset, what: Text): Promise<Medium> {
    const check = await this.#check(request.account, use.assetId);
    if (!('trouble' in check)) return this.#hopeful(request, check, what);
    const remedy = messageFor('remedy.newTakeUploadsAgain');
    return { type: 'failed', what, trouble: { ...check.trouble, remedy } };
  }

  /** An asset that the list names itself. One that we cannot see may be in another group: the service decides. */
  async #named(request: PrepareRequest, named: NamedNeed): Promise<Medium> {
    const { parameter, assetId } = named;
    const what = messageFor('failure.mediumOfColumn', { medium: `Asset://${assetId}`, column: parameter });
    const other = this.#otherModel(request.account, named, request.model);
    if (other !== null) return { type: 'failed', what, trouble: preparedForAnother(other, request.model) };
    const check = await this.#check(request.account, assetId);
    if (!('trouble' in check)) return this.#hopeful(request, check, what);
    if (check.type === 'useless')
      return { type: 'failed', what, trouble: { ...check.trouble, remedy: messageFor('remedy.giveOtherFile') } };
    this.watch.letPass(request.account, assetId);
    return { type: 'ready', use: null };
  }

  /** Asks in the group that has the asset, which may differ from the one it was sent to. */
  #check(account: Account, assetId: string, sentTo: string | null = null): Promise<Check> {
    return this.watch.check(account, assetId, this.#parts.assets.asset(account, assetId)?.groupId ?? sentTo);
  }

  #hopeful(
    request: PrepareRequest,
    check: Exclude<Check, { readonly trouble: MediaTrouble }>,
    what: Text,
    use: TakeAsset | null = null,
    arrivedAt = request.since,
  ): Medium {
    if (check.type === 'ready') return { type: 'ready', use };
    if (check.type === 'held') return check;
    const minutes = this.#parts.settings.assetDeadlineMinutes;
    if (this.#parts.ports.clock.now() < Math.max(arrivedAt, request.since) + minutes * 60_000)
      return { type: 'waiting', until: check.until };
    const message = messageFor('failure.assetNotReady', { minutes, status: check.status });
    const trouble = { code: 'asset_not_ready', message, remedy: messageFor('remedy.retryLaterSameAsset') };
    return { type: 'failed', what, trouble };
  }

  /** The model an asset was prepared for from here, when that is another one than the model it must be prepared for. */
  #otherModel(account: Account, { assetId, isForModel }: NamedNeed, model: string): string | null {
    const preparedFor = isForModel ? (this.#parts.uploads.ofAsset(account, assetId)?.model ?? '') : '';
    return preparedFor === '' || preparedFor === model ? null : preparedFor;
  }

  #giveUp({ account }: PrepareRequest, assetId: string, trouble: MediaTrouble): void {
    const upload = this.#parts.uploads.ofAsset(account, assetId);
    if (upload?.state === 'arrived')
      this.#parts.uploads.failed(upload.id, failureFor(trouble, this.#parts.ports.clock.now()));
  }

  async #groupId({ account, group }: PrepareRequest): ReturnType<Groups['find']> {
    return group === undefined ? { type: 'found', groupId: '' } : this.#groups.find(account, group);
  }

  #withMedium(result: Failed | Held, what: Text): Medium {
    return result.type === 'held' ? result : { ...result, what };
  }
}

const preparedForAnother = (other: string, model: string): MediaTrouble => ({
  code: 'asset_of_another_model',
  message: messageFor('failure.assetOfAnotherModel', { other, model }),
  remedy: messageFor('remedy.uploadForModel', { model }),
});

type Check =
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
        const problem = messageFor('failure.assetFailed', { said: asset.syncError ?? 'none' });
        return useless(asset, 'asset_failed', problem, messageFor('remedy.correctAndRetry'));
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
