import { commandNamed, namesForProject, type CommandInput } from '../../../../contract/commands/index.ts';
import { t, withDots } from '../../../../contract/messages/words.ts';
import type { BatchView } from '../../../../contract/batch.ts';
import {
  batchActions,
  chooseAccount,
  goToNextWait,
  hasAccountChoice,
  returnToView,
  openSample,
  showFacts,
  showHistory,
  switchProject,
  openProject,
} from '../../actions.svelte.ts';
import { Resource } from '../../state/resource.svelte.ts';
import { toDetail } from '../../filter-address.ts';
import { act } from '../../act.ts';
import { toastError, toast } from '../../toasts.ts';
import { fileName, saveDiagnostics, openList } from '../../files.ts';
import { commandTable, commands, type Command } from '../../state/commands.svelte.ts';
import type { MenuCommand } from '../../../../contract/desktop.ts';
import { api, bridge } from '../../client.ts';
import { navigation, withFields } from '../../state/navigation.svelte.ts';
import { projects } from '../../state/projects.svelte.ts';
import { desktop, type DesktopMessage } from '../../state/desktop.svelte.ts';
import { queue } from '../../state/queue.svelte.ts';
import { redoTitle, undoHistory, undoTitle } from '../../undo.svelte.ts';
import { places } from './places.ts';
import { projectForList } from '../../first-place.ts';

export function shellCommands(showPalette: () => void, showKeys: () => void, switchTheme: () => void): Command[] {
  const hasProject = () => projects.current !== null;
  return [
    ...places.map(({ view, title, keywords, keys }): Command => ({
      id: `go-${view}`,
      title: t('window.goTo', { place: title }),
      keywords,
      group: 'Go',
      keys,
      run: () => returnToView(view),
    })),
    ...commandTable('Everywhere', '', [
      ['palette', t('window.search'), '$mod+k', showPalette],
      ['keys', t('window.keys'), '[Shift]+?', showKeys],
      ['next-wait', t('window.nextWait'), 'Shift+w', goToNextWait],
      ['pause-queue', t('window.pauseOrResume'), '$mod+Shift+p', pauseOrResume, () => queue.view !== null],
    ]),
    {
      id: 'undo',
      title: t('menu.role.undo'),
      titleNow: undoTitle,
      group: 'Everywhere',
      keys: '$mod+z',
      run: () => void undoHistory.undo(),
      enabled: () => undoHistory.toUndo !== null,
    },
    {
      id: 'redo',
      title: t('menu.role.redo'),
      titleNow: redoTitle,
      group: 'Everywhere',
      keys: '$mod+Shift+z',
      alsoKeys: '$mod+y',
      run: () => void undoHistory.redo(),
      enabled: () => undoHistory.toRedo !== null,
    },
    ...commandTable('Everywhere', '', [['theme', t('window.switchTheme'), '', switchTheme]]),
    ...commandTable('Projects', '', [
      [
        'reveal-project',
        t('window.showProjectFolder'),
        '',
        () => projects.current && desktop.revealFolder(projects.current.id),
        hasProject,
      ],
      [
        'project-facts',
        t('projects.facts'),
        '',
        () => projects.current && showFacts(projects.current),
        () => projects.current?.available === true,
      ],
      ['history', t('projects.history'), '', () => showHistory(navigation.place.projectId)],
    ]),
    ...commandTable('Everywhere', '', [
      ['diagnostics', t('common.saveDiagnostics'), '', saveDiagnostics],
      ['sample', t('window.openSample'), '', openSample],
    ]),
  ];
}

const pauseOrResume = (): Promise<void> => (queue.view?.pausedByUser ? queue.resume() : queue.pause());

export function projectCommands(): Command[] {
  return [...forOpenProject(), ...toOtherProjects()];
}

function forOpenProject(): Command[] {
  const { projectId } = navigation.place;
  if (projectId === null) return [];
  const all = namesForProject(projects.isReadOnly).map((name): Command => ({
    id: name,
    title: t(commandNamed(name).label),
    group: 'Projects',
    run: () => void act(name, { projectId } as CommandInput<typeof name>).catch(toastError),
  }));
  const { current, isReadOnly } = projects;
  if (isReadOnly || !hasAccountChoice(current)) return all;
  const title = withDots(commandNamed('projects.account').label);
  return [...all, { id: 'projects.account', title, group: 'Projects', run: () => chooseAccount(current) }];
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

/** Whether a command is enabled depends on much that sends no event, so we check this often, ms. */
const LOOK_EVERY_MS = 500;

/** Keeps the menus of the desktop app as the palette is, until the returned function is called. */
export function syncAppMenu(): () => void {
  if (!bridge) return () => undefined;
  let shown = '';
  const show = (): void => {
    const next = menuCommands();
    const text = JSON.stringify(next);
    if (text === shown) return;
    shown = text;
    // A menu that could not be brought up to date is tried again at the next look.
    api.desktop.menu({ commands: next }).catch(() => (shown = ''));
  };
  show();
  const looking = setInterval(show, LOOK_EVERY_MS);
  return () => clearInterval(looking);
}

function menuCommands(): MenuCommand[] {
  const byId = new Map(
    [...commands.all, ...projectCommands()].map(({ id, title, group, keys, enabled }) => [
      id,
      { id, title, group, enabled: enabled?.() ?? true, ...(keys !== undefined && { keys }) },
    ]),
  );
  return [...byId.values()];
}

export class ProjectPalette {
  readonly #batches = new Resource({
    of: () => navigation.place.projectId,
    read: async (projectId) => (projectId === null ? [] : api.batches.list({ projectId })),
  });

  /** Views open review, which has its own commands for them: these change the grid on screen. */
  readonly #views = new Resource({
    of: () => (navigation.place.view === 'review' ? null : navigation.place.projectId),
    read: async (projectId) => (projectId === null ? [] : api.savedViews.list({ projectId })),
  });

  readonly all = $derived.by((): readonly Command[] => [
    ...(this.#views.current ?? []).map(({ id, projectId, name, filter }): Command => ({
      id: `review-view-${id}`,
      title: t('review.showView', { name }),
      group: 'Review',
      run: () => navigation.go('review', { projectId, detail: withFields({}, toDetail(filter)) }),
    })),
    ...(this.#batches.current ?? []).filter(({ archivedAt }) => archivedAt === null).flatMap(commandsFor),
  ]);

  follow(): () => void {
    const ends = [this.#views.follow(), this.#batches.follow()];
    return () => ends.forEach((end) => end());
  }
}

function commandsFor(batch: BatchView): Command[] {
  const { id, projectId, name } = batch;
  const isShown = navigation.place.detail['batch'] === id;
  const command = (what: string, action: string, run: () => unknown): Command => ({
    ...{ id: `${what}-batch-${id}`, title: t('window.actionOn', { action, name }), run: () => void run() },
    group: 'Batch',
    isSearchedFor: !isShown,
  });
  return [
    command('show', t('list.showBatch'), () => navigation.go('batch', { projectId, detail: { batch: id } })),
    ...(projects.isReadOnly ? [] : batchActions(batch)).map((each) => command(each.id, each.action, each.run)),
  ];
}

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
