import { t } from '../../../../contract/messages/words.ts';
import { openProject } from '../../actions/projects.ts';
import { openList } from '../../open-list.ts';
import { commands } from '../../state/commands.svelte.ts';
import type { DesktopMessage } from '../../state/desktop.svelte.ts';
import { navigation } from '../../state/navigation.svelte.ts';
import { projects } from '../../state/projects.svelte.ts';
import { toast, toastError } from '../../toasts.ts';
import { projectForList } from './project-for-list.ts';
import { projectCommands } from './shell-commands.svelte.ts';

/** A list that was opened while there was no project it could be for. */
let waitingList = $state<string | null>(null);

/** Does what a person asked for outside the window: in a menu, by a notification, by opening a file with Dailies. */
export function followFromOutside(event: DesktopMessage): void {
  switch (event.type) {
    case 'command':
      [...commands.available, ...projectCommands()].findLast(({ id }) => id === event.id)?.run();
      break;
    case 'show':
      navigation.go(event.view, { projectId: event.projectId, detail: event.detail });
      break;
    case 'open':
      if (event.what === 'project') openProject(event.path).catch(toastError);
      else if (event.what === 'folder') offerToMakeProject(event.path);
      else openListAt(event.path).catch(toastError);
      break;
  }
}

export function openWaitingList(): void {
  const { current } = projects;
  if (waitingList === null || current === null) return;
  const path = waitingList;
  waitingList = null;
  openList(current.id, { type: 'path', path }).catch(toastError);
}

/** The wrong folder may have been opened with Dailies: it becomes a project only if the person agrees here. */
function offerToMakeProject(path: string): void {
  navigation.go('projects', { projectId: null });
  toast(t('window.notAProject', { folder: fileName(path) }), {
    label: t('window.makeProject'),
    run: () => openProject(path).catch(toastError),
  });
}

async function openListAt(path: string): Promise<void> {
  if (projects.all === null) await projects.read();
  const project = projectForList(path, projects.all ?? [], navigation.place.projectId);
  if (project) {
    await openList(project.id, { type: 'path', path });
    return;
  }
  waitingList = path;
  navigation.go('projects', { projectId: null });
  toast(t('window.openProjectForList', { file: fileName(path) }));
}

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;
