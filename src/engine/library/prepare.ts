import { messageFor, type Text } from '../../contract/messages/message.ts';
import type { TakeAsset } from '../../contract/asset.ts';
import type { Account } from '../db/service-store.ts';
import type { FileUploads } from './file-uploads.ts';
import type { Groups } from './groups.ts';
import { LocalFileError } from './identity.ts';
import type { Failed, Held, LibraryParts } from './library-parts.ts';
import type { LocalNeed, NamedNeed, Needs } from './needs.ts';
import { requireAgreed } from './outside-files.ts';
import type { ReadinessWatch } from './readiness.ts';
import { failureOf, troubleOfError, type Trouble } from './troubles.ts';
import { ALL_SAID } from './upload-form.ts';

export interface PrepareRequest {
  readonly account: Account;
  readonly model: string;
  readonly needs: Needs;
  /** Real paths of files, and of folders with everything below them, that may be uploaded. */
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
  | { readonly type: 'failed'; readonly what: Text; readonly trouble: Trouble }
  | Held;

type Medium = { readonly type: 'ready'; readonly use: TakeAsset | null } | Exclude<Prepared, { type: 'ready' }>;

interface Awaited {
  readonly assetId: string;
  readonly groupId: string | null;
  /** Since when it could have become ready, ms. */
  readonly arrivedAt: number;
}

/** Gets the media of shots ready: uploads missing files, then waits until the service allows their use. */
export class Preparer {
  readonly #parts: LibraryParts;
  readonly #files: FileUploads;
  readonly #groups: Groups;
  readonly watch: ReadinessWatch;

  constructor(parts: LibraryParts, tools: { files: FileUploads; groups: Groups; watch: ReadinessWatch }) {
    this.#parts = parts;
    this.#files = tools.files;
    this.#groups = tools.groups;
    this.watch = tools.watch;
  }

  /** True when a shot can be sent now: everything it needs was ready a moment ago. Sends no request. */
  isPrepared(account: Account, model: string, needs: Needs, kept: readonly TakeAsset[]): boolean {
    const covered = new Map(kept.map((use) => [use.path, use.assetId]));
    const ids = [...needs.local.map(({ cell }) => covered.get(cell)), ...needs.named.map(({ assetId }) => assetId)];
    if (needs.named.some((named) => this.#otherModel(account, named, model) !== null)) return false;
    return ids.every((id) => id !== undefined && this.watch.isReady(account, id));
  }

  /** One look at everything a shot needs; it comes back when something takes longer than a moment. */
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
    const what = messageFor('common.withDetail', { name: need.cell, detail: need.parameter });
    if (kept) return this.#kept(request, kept, what);
    const group = await this.#groupId(request);
    if (group.type !== 'found')
      return this.#told(group, messageFor('failure.groupNamed', { group: request.group ?? '' }));
    try {
      await requireAgreed(need.path, request.agreed);
      const { account, model, since } = request;
      const { role, purpose, type, parameter, cell } = need;
      const brought = await this.#files.bring(account, need.path, {
        ...{ model, mode: 'asset', purpose, role, groupId: group.groupId, type, triedAgainAfter: since },
        says: need.isForModel ? ALL_SAID : [],
        holds: request.contents.get(need.path),
      });
      if (brought.type !== 'arrived') return this.#told(brought, what);
      const { assetId, arrivedAt, sha256 } = brought;
      const use: TakeAsset = { parameter, path: cell, assetId, ...(sha256 !== undefined && { sha256 }) };
      const groupId = this.#groupOf(account, assetId) ?? (group.groupId === '' ? null : group.groupId);
      return await this.#awaited(request, { assetId, groupId, arrivedAt }, what, use);
    } catch (error) {
      if (error instanceof LocalFileError) return { type: 'failed', what, trouble: troubleOfError(error) };
      throw error;
    }
  }

  /** A file this shot uploaded, or found uploaded: not sent before the service says that it may be used. */
  async #awaited(request: PrepareRequest, awaited: Awaited, what: Text, use: TakeAsset): Promise<Medium> {
    const { account, since } = request;
    const { assetId, arrivedAt } = awaited;
    const check = await this.watch.check(account, assetId, awaited.groupId);
    switch (check.type) {
      case 'ready':
        return { type: 'ready', use };
      case 'held':
        return check;
      case 'waiting':
        return this.#waiting(request, arrivedAt, check, what);
      case 'refused':
        return { type: 'failed', what, trouble: check.trouble };
      case 'useless':
        // From now on the file has no asset: a retry by a person uploads it again.
        this.#giveUp(request, assetId, check.trouble);
        return { type: 'failed', what, trouble: check.trouble };
      case 'gone': {
        this.#parts.assets.markMissing(account, 'asset', assetId, this.#parts.ports.clock.now());
        // Deleted before this shot was queued: upload the file again. Deleted just now: tell the person.
        if (arrivedAt < since) return { type: 'waiting', until: this.#parts.ports.clock.now() };
        return { type: 'failed', what, trouble: { ...check.trouble, remedy: messageFor('remedy.retryUploadsAgain') } };
      }
    }
  }

  /** An asset the take was prepared with before. The take keeps it: with another one it would be another take. */
  async #kept(request: PrepareRequest, use: TakeAsset, what: Text): Promise<Medium> {
    const groupId = this.#groupOf(request.account, use.assetId);
    const check = await this.watch.check(request.account, use.assetId, groupId);
    switch (check.type) {
      case 'ready':
        return { type: 'ready', use: null };
      case 'held':
        return check;
      case 'waiting':
        return this.#waiting(request, request.since, check, what);
      case 'useless':
      case 'refused':
      case 'gone': {
        const remedy = messageFor('remedy.newTakeUploadsAgain');
        return { type: 'failed', what, trouble: { ...check.trouble, remedy } };
      }
    }
  }

  /** An asset that the list names itself. One that we cannot see may be in another group: the service decides. */
  async #named(request: PrepareRequest, named: NamedNeed): Promise<Medium> {
    const { parameter, assetId } = named;
    const what = messageFor('common.withDetail', { name: `Asset://${assetId}`, detail: parameter });
    const other = this.#otherModel(request.account, named, request.model);
    if (other !== null) return { type: 'failed', what, trouble: preparedForAnother(other, request.model) };
    const groupId = this.#groupOf(request.account, assetId);
    const check = await this.watch.check(request.account, assetId, groupId);
    switch (check.type) {
      case 'ready':
        return { type: 'ready', use: null };
      case 'gone':
      case 'refused':
        this.watch.letPass(request.account, assetId);
        return { type: 'ready', use: null };
      case 'held':
        return check;
      case 'waiting':
        return this.#waiting(request, request.since, check, what);
      case 'useless':
        return { type: 'failed', what, trouble: { ...check.trouble, remedy: messageFor('remedy.nameOtherAsset') } };
    }
  }

  /** The group that has an asset, which may differ from the one it was sent to; null when unknown. */
  #groupOf(account: Account, assetId: string): string | null {
    return this.#parts.assets.asset(account, assetId)?.groupId ?? null;
  }

  /** The model an asset was prepared for from here, when that is another one than the model it must be prepared for. */
  #otherModel(account: Account, { assetId, isForModel }: NamedNeed, model: string): string | null {
    const preparedFor = isForModel ? (this.#parts.uploads.ofAsset(account, assetId)?.model ?? '') : '';
    return preparedFor === '' || preparedFor === model ? null : preparedFor;
  }

  #waiting(request: PrepareRequest, arrivedAt: number, check: { until: number; status: string }, what: Text): Medium {
    const minutes = this.#parts.settings.assetDeadlineMinutes;
    if (this.#parts.ports.clock.now() < Math.max(arrivedAt, request.since) + minutes * 60_000)
      return { type: 'waiting', until: check.until };
    const trouble = {
      code: 'asset_not_ready',
      problem: messageFor('failure.assetNotReady', { minutes, status: check.status }),
      remedy: messageFor('remedy.retryLaterSameAsset'),
    };
    return { type: 'failed', what, trouble };
  }

  #giveUp({ account }: PrepareRequest, assetId: string, trouble: Trouble): void {
    const upload = this.#parts.uploads.ofAsset(account, assetId);
    if (upload?.state === 'arrived')
      this.#parts.uploads.failed(upload.id, failureOf(trouble, this.#parts.ports.clock.now()));
  }

  async #groupId({ account, group }: PrepareRequest): ReturnType<Groups['find']> {
    return group === undefined ? { type: 'found', groupId: '' } : this.#groups.find(account, group);
  }

  #told(result: Failed | Held, what: Text): Medium {
    return result.type === 'held' ? result : { ...result, what };
  }
}

const preparedForAnother = (other: string, model: string): Trouble => ({
  code: 'asset_of_another_model',
  problem: messageFor('failure.assetOfAnotherModel', { other, model }),
  remedy: messageFor('remedy.uploadForModel', { model }),
});
