import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import type { Account } from '../db/service-store.ts';
import type { FileUploads } from './file-uploads.ts';
import type { Groups } from './groups.ts';
import { LocalFileError } from './identity.ts';
import {
  type Failed,
  failureFor,
  type Held,
  type LibraryParts,
  type MediaTrouble,
  troubleOfError,
} from './library-parts.ts';
import { type LocalNeed, type NamedNeed, type Needs, requireAgreed } from './needs.ts';
import type { Check, ReadinessWatch } from './readiness.ts';
import { ALL_SAID } from './uploads.ts';

export interface PrepareRequest {
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
