import { messageFor } from '../../contract/messages/message.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { RefusedError } from '../base/errors.ts';
import type { Batch, StoredShot } from '../db/batch-store.ts';
import { rulesOf } from '../kinds/index.ts';
import { localPath, readMediaReference } from '../kinds/media-reference.ts';

/** Where new shots come that are added to those a batch has: behind the last of them. By key. Pure. */
export function placesBehind(
  stored: readonly Pick<StoredShot, 'position'>[],
  added: readonly ShotSpec[],
): ReadonlyMap<string, number> {
  const last = stored.reduce((most, { position }) => Math.max(most, position), -1);
  return new Map(added.map(({ key }, index) => [key, last + 1 + index]));
}

/** A batch has one folder that its paths start at. Throws RefusedError for a list whose own paths start at another one. */
export function requireSameFolder(
  { name, listFolder }: Pick<Batch, 'name' | 'listFolder'>,
  list: { readonly listFolder: string; readonly shots: readonly ShotSpec[] },
): void {
  if (list.listFolder === listFolder) return;
  const shot = list.shots.find(({ kind, params }) =>
    rulesOf(kind)
      .mediaOf(params)
      .some(({ cell }) => {
        const reference = readMediaReference(cell);
        if (reference.at !== 'local') return false;
        return localPath(reference.path, listFolder) !== localPath(reference.path, list.listFolder);
      }),
  );
  if (shot === undefined) return;
  throw new RefusedError(
    'list_elsewhere',
    messageFor('failure.listElsewhere', { shot: shot.key, batch: name, folder: listFolder }),
    messageFor('remedy.wholePathsOrSameFolder'),
  );
}
