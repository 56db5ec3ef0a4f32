import { MOST_CARRIED, type TakeView } from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { toast, toastError } from '../../lib/toasts.ts';
import { counted } from '../../lib/words.ts';

/** Puts the paths of the takes' files on the clipboard, a line each. */
export async function copyPaths(takes: readonly Pick<TakeView, 'id' | 'outputs'>[]): Promise<void> {
  const ids = takes.filter(({ outputs }) => outputs.length > 0).map(({ id }) => id);
  if (ids.length > MOST_CARRIED) {
    toastError(new Error(`Paths of ${MOST_CARRIED} takes at most are copied at once. Select fewer of them.`));
    return;
  }
  try {
    const { paths } = await api.desktop.paths({ ids });
    await navigator.clipboard.writeText(paths.join('\n'));
    toast(paths.length === 1 ? 'Path copied' : `${counted(paths.length, 'path')} copied`);
  } catch (error) {
    toastError(error);
  }
}
