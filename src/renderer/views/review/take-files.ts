import type { TakeView } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { tell, tellTrouble } from '../../lib/toasts.ts';
import { counted } from '../../lib/words.ts';

/** As many as are asked for at once. */
const MOST_AT_ONCE = 500;

/** Puts the paths of the takes' files on the clipboard, a line each. */
export async function copyPaths(takes: readonly Pick<TakeView, 'id' | 'outputs'>[]): Promise<void> {
  const ids = takes.filter(({ outputs }) => outputs.length > 0).map(({ id }) => id);
  if (ids.length > MOST_AT_ONCE) {
    tellTrouble(new Error(`Paths of ${MOST_AT_ONCE} takes at most are copied at once. Select fewer of them.`));
    return;
  }
  try {
    const { paths } = await api.desktop.paths({ ids });
    await navigator.clipboard.writeText(paths.join('\n'));
    tell(paths.length === 1 ? 'Path copied' : `${counted(paths.length, 'path')} copied`);
  } catch (error) {
    tellTrouble(error);
  }
}
