import { commandNamed, namesForProject, type CommandInput } from '../../../../contract/commands/index.ts';
import { say } from '../../../../contract/messages/words.ts';
import { act } from '../../act.ts';
import { toastError } from '../../toasts.ts';
import { saveDiagnostics } from '../../files.ts';
import { returnToView, openSample, showFacts, showHistory, switchProject } from '../../actions/projects.ts';
import type { Command } from '../../state/commands.svelte.ts';
import { navigation } from '../../state/navigation.svelte.ts';
import { projects } from '../../state/projects.svelte.ts';
import { desktop } from '../../state/desktop.svelte.ts';
import { queue } from '../../state/queue.svelte.ts';
import { redoTitle, undoHistory, undoTitle } from '../../undo.svelte.ts';
import { places } from './places.ts';

export function shellCommands(showPalette: () => void, showKeys: () => void, switchTheme: () => void): Command[] {
  return [
    ...places.map(({ view, title, keywords, keys }): Command => ({
      id: `go-${view}`,
      title: say('window.goTo', { place: title }),
      keywords,
      group: 'Go',
      keys,
      run: () => returnToView(view),
    })),
    { id: 'palette', title: say('window.search'), group: 'Everywhere', keys: '$mod+k', run: showPalette },
    { id: 'keys', title: say('window.showKeys'), group: 'Everywhere', keys: '[Shift]+?', run: showKeys },
    {
      id: 'pause-queue',
      title: say('window.pauseOrResume'),
      group: 'Everywhere',
      keys: '$mod+Shift+p',
      run: () => void (queue.view?.pausedByUser ? queue.resume() : queue.pause()),
      enabled: () => queue.view !== null,
    },
    {
      id: 'undo',
      title: say('common.undo'),
      titleNow: undoTitle,
      group: 'Everywhere',
      keys: '$mod+z',
      run: () => void undoHistory.undo(),
      enabled: () => undoHistory.toUndo !== null,
    },
    {
      id: 'redo',
      title: say('common.redo'),
      titleNow: redoTitle,
      group: 'Everywhere',
      keys: '$mod+Shift+z',
      alsoKeys: '$mod+y',
      run: () => void undoHistory.redo(),
      enabled: () => undoHistory.toRedo !== null,
    },
    { id: 'theme', title: say('window.switchTheme'), group: 'Everywhere', run: switchTheme },
    {
      id: 'reveal-project',
      title: say('window.showProjectFolder'),
      group: 'Projects',
      run: () => {
        if (projects.current) desktop.revealFolder(projects.current.id);
      },
      enabled: () => projects.current !== null,
    },
    {
      id: 'project-facts',
      title: say('window.showProjectFacts'),
      group: 'Projects',
      run: () => {
        if (projects.current) showFacts(projects.current);
      },
      enabled: () => projects.current?.available === true,
    },
    {
      id: 'history',
      title: say('projects.historyShow'),
      group: 'Projects',
      run: () => showHistory(navigation.place.projectId),
    },
    { id: 'diagnostics', title: say('common.saveDiagnostics'), group: 'Everywhere', run: () => void saveDiagnostics() },
    { id: 'sample', title: say('window.openSample'), group: 'Everywhere', run: () => void openSample() },
  ];
}

export function projectCommands(): Command[] {
  return [...forOpenProject(), ...toOtherProjects()];
}

function forOpenProject(): Command[] {
  const { projectId } = navigation.place;
  if (projectId === null) return [];
  return namesForProject(projects.isReadOnly).map((name) => ({
    id: name,
    title: say(commandNamed(name).label),
    group: 'Projects',
    run: () => void act(name, { projectId } as CommandInput<typeof name>).catch(toastError),
  }));
}

function toOtherProjects(): Command[] {
  return (projects.all ?? [])
    .filter((project) => project.id !== navigation.place.projectId)
    .map((project) => ({
      id: `project-${project.id}`,
      title: project.name,
      group: 'Projects',
      run: () => switchProject(project.id),
    }));
}
