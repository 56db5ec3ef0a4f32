import type { AssetType } from '../../contract/asset.ts';
import type { MadeAsset } from '../../contract/take-extras.ts';
import type { Account } from '../db/service-store.ts';
import type { LibraryParts } from './library-parts.ts';

/** The task that made an asset. */
interface MadeBy {
  readonly taskId: string;
  readonly model: string;
  readonly now: number;
}

/**
 * Enters an asset that a task made, under its purpose. What else there is to know of it, the next listing brings, or the
 * next row that names it. Call it in the commit that ends the task.
 */
export function keepMadeAsset(
  { assets, uploads }: Pick<LibraryParts, 'assets' | 'uploads'>,
  account: Account,
  { id, purpose, name = '' }: MadeAsset,
  { taskId, model, now }: MadeBy,
): void {
  const type: AssetType = purpose.includes('voice') ? 'audio' : 'image';
  if (!assets.asset(account, id)) {
    assets.saveAsset(account, {
      ...{ id, groupId: null, type, name, description: '', reference: `Asset://${id}`, status: 'created' },
      ...{ generationReady: false, createdAt: now, updatedAt: now },
    });
  }
  if (uploads.isTaken(account, id)) return;
  // The journal says what every asset is for.
  const content = `task:${taskId}`;
  const facts = { content, source: content, type, name, bytes: null };
  const { id: entry } = uploads.intend(
    account,
    `made:${id}`,
    { ...facts, ...{ model, mode: 'asset', purpose, role: '', groupId: '' } },
    now,
  );
  uploads.arrived(entry, id, now);
}
