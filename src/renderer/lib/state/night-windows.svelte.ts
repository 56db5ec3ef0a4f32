import type { WindowScope, WindowState } from '../../../contract/night-window.ts';
import { act } from '../act.ts';
import { api } from '../client.ts';
import { toastError } from '../toasts.ts';
import { currentTime } from './now.svelte.ts';
import { resource, type Resource } from './resource.svelte.ts';

/** Every night window as it is now: it opens and closes by the clock too. */
export function nightWindows(): Resource<null, WindowState[]> {
  const windows = resource({
    of: () => null,
    read: () => api.windows.list(),
    changedBy: (changes) => changes.settings || changes.queue !== null,
    everyMs: 500,
  });
  const changesAt = $derived(Math.min(...(windows.current ?? []).flatMap((each) => each.changesAt ?? [])));
  $effect(() => {
    if (changesAt <= currentTime()) void windows.refresh();
  });
  return windows;
}

export const windowOfProject = (windows: readonly WindowState[] | undefined, projectId: string) =>
  windows?.find(({ scope }) => scope.scope === 'project' && scope.projectId === projectId);

export const startNow = (scope: WindowScope): Promise<unknown> => act('windows.startNow', { scope }).catch(toastError);
