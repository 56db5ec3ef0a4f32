import { messageFor } from '../../contract/messages/message.ts';
import { basename, extname } from 'node:path';
import type { AssetType, UploadReport, UploadTarget } from '../../contract/asset.ts';
import { AssetRole, mediaOfRole } from '../../contract/asset.ts';
import type { Account } from '../db/service-store.ts';
import { toMediaType } from '../kinds/media-reference.ts';
import { lineFor } from '../models/index.ts';
import type { FileUploads } from './file-uploads.ts';
import type { Groups } from './groups.ts';
import { LocalFileError } from './identity.ts';
import { type Failed, type Held, type LibraryParts, type MediaTrouble, troubleOfError } from './library-parts.ts';
import { ALL_SAID, type Said, type UploadResult, type Uploads } from './uploads.ts';
import { assetFor } from './views.ts';

/** How many times in a row a connection may fail before the waiting person hears of it. */
const PATIENCE = 5;

export interface UploadOptions {
  readonly signal?: AbortSignal | undefined;
}

const ASKED_ANEW = { triedAgainAfter: Number.POSITIVE_INFINITY };

export class ManualUploads {
  readonly #parts: LibraryParts;
  readonly #files: FileUploads;
  readonly #uploads: Uploads;
  readonly #groups: Groups;

  constructor(parts: LibraryParts, files: FileUploads, uploads: Uploads, groups: Groups) {
    this.#parts = parts;
    this.#files = files;
    this.#uploads = uploads;
    this.#groups = groups;
  }

  /** `path` is absolute. */
  file(account: Account, path: string, target: UploadTarget, options: UploadOptions): Promise<UploadReport> {
    const type = target.type ?? typeOfRole(target) ?? typeOfName(path) ?? 'file';
    return this.#bring(account, path, target, options, (groupId) =>
      this.#files.bring(account, path, { ...toPurpose(target), type, groupId, ...ASKED_ANEW }),
    );
  }

  address(account: Account, url: string, target: UploadTarget, options: UploadOptions): Promise<UploadReport> {
    const name = nameOfAddress(url);
    const type = target.type ?? typeOfRole(target) ?? typeOfName(name) ?? 'file';
    const facts = { type, name, bytes: null, content: url, source: url, file: null };
    return this.#bring(account, url, target, options, (groupId) =>
      this.#uploads.bring(account, { ...toPurpose(target), ...facts, groupId, ...ASKED_ANEW }),
    );
  }

  async #bring(
    account: Account,
    source: string,
    target: UploadTarget,
    options: UploadOptions,
    send: (groupId: string) => Promise<UploadResult>,
  ): Promise<UploadReport> {
    try {
      const group = await this.#insist(options, () => this.#group(account, target));
      if (group.type === 'failed') return refused(source, group.trouble);
      const brought = await this.#insist(options, () => send(group.groupId));
      if (brought.type === 'failed') return refused(source, brought.trouble);
      const asset = assetFor(this.#parts, account, brought.assetId);
      return {
        ...{ ok: true, source, assetId: brought.assetId, sent: brought.sent },
        reference: asset?.reference ?? `Asset://${brought.assetId}`,
        readiness: asset?.readiness ?? 'waiting',
        ...(asset?.wantedGroup !== undefined && {
          wantedGroup: asset.wantedGroup,
          group: asset.groupName ?? asset.groupId ?? '',
        }),
      };
    } catch (error) {
      if (error instanceof LocalFileError) return refused(source, troubleOfError(error));
      throw error;
    }
  }

  #group(account: Account, { group }: UploadTarget): ReturnType<Groups['find']> {
    return group === undefined ? Promise.resolve({ type: 'found', groupId: '' }) : this.#groups.find(account, group);
  }

  /** Repeats for as long as it takes, and gives up when the key is refused or no answer comes for a while. */
  async #insist<Result extends { readonly type: string }>(
    { signal }: UploadOptions,
    attempt: () => Promise<Result | Failed | Held>,
  ): Promise<Exclude<Result, Held> | Failed> {
    const { clock } = this.#parts.ports;
    const ended = signal ? AbortSignal.any([signal, this.#parts.stopping]) : this.#parts.stopping;
    for (let misses = 0; ;) {
      ended.throwIfAborted();
      // The upload goes on and is not lost; only the waiting ends.
      const result = await untilAborted(attempt(), ended);
      if (!isHeld(result)) return result as Exclude<Result, Held> | Failed;
      misses = result.report.saw === 'no_connection' ? misses + 1 : 0;
      if (misses >= PATIENCE || result.report.saw === 'key_refused')
        return { type: 'failed', trouble: asTrouble(result) };
      await clock.sleep(Math.max(0, result.until - clock.now()), { signal: ended });
    }
  }
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

const isHeld = (result: { readonly type: string }): result is Held => result.type === 'held';

function asTrouble({ report, why }: Held): MediaTrouble {
  return report.saw === 'key_refused'
    ? { code: 'key_refused', message: why, remedy: messageFor('remedy.setKeyAndRunAgain') }
    : { code: 'unreachable', message: why, remedy: messageFor('remedy.checkConnectionAndRunAgain') };
}

const refused = (source: string, { code, message: problem, remedy }: MediaTrouble): UploadReport => ({
  ...{ ok: false, source, code, problem, remedy },
});

/** The upload's fields beside its content. A reference video always has the purpose that the reference names. */
function toPurpose({ model = '', mode, purpose, role = '' }: UploadTarget) {
  const isVideo = role === 'reference_video';
  const chosen: readonly Said[] = [...(model === '' ? [] : ['model' as const]), ...(mode ? ['mode' as const] : [])];
  return {
    ...{ model, mode: mode ?? ('asset' as const), role },
    purpose: purpose ?? (isVideo ? 'reference_video' : ''),
    says: isVideo && lineFor(model)?.preparedVideosOnly === true ? ALL_SAID : chosen,
  };
}

function typeOfRole({ role }: UploadTarget): AssetType | undefined {
  const known = AssetRole.safeParse(role);
  return known.success ? mediaOfRole[known.data] : undefined;
}

function typeOfName(name: string): AssetType | undefined {
  return toMediaType(extname(name).slice(1)) ?? undefined;
}

function nameOfAddress(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  const last = basename(path);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
