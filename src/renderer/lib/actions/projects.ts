import { t, sayText } from '../../../contract/messages/words.ts';
import { act } from '../act.ts';
import { api } from '../client.ts';
import type { ViewName } from '../../../contract/place.ts';
import { navigation } from '../state/navigation.svelte.ts';
import { projects } from '../state/projects.svelte.ts';
import type { ProjectView } from '../../../contract/project.ts';
import { toast, toastError } from '../toasts.ts';

/** Goes to a view; where none is chosen yet, with the project opened last. */
export function goToView(view: ViewName): void {
  navigation.go(view, { projectId: projectToShow() });
}

/** Goes to a view as it was left; from within that view, to its beginning. */
export function returnToView(view: ViewName): void {
  const projectId = projectToShow();
  const isHere = navigation.place.view === view;
  navigation.go(view, { projectId, detail: isHere ? {} : navigation.leftAt(view, projectId) });
}

const projectToShow = (): string | null => navigation.place.projectId ?? newest()?.id ?? null;

export function switchProject(projectId: string): void {
  const { view } = navigation.place;
  navigation.go(view, { projectId });
}

function newest() {
  return projects.all?.reduce<(typeof projects.all)[number] | null>(
    (best, project) => (best === null || project.openedAt > best.openedAt ? project : best),
    null,
  );
}

/** Opens a folder as a project, making one of it when it is none, and shows it. Throws the engine's refusal. */
export async function openProject(path: string): Promise<void> {
  showOpened(await api.projects.open({ path }));
}

/** Shows the takes of the sample as they come in. */
export async function openSample(): Promise<void> {
  try {
    showOpened(await api.projects.sample(), 'review');
  } catch (error) {
    toastError(error);
  }
}

/** Sets the new folder of a project that was moved. Throws the engine's refusal. */
export async function relinkProject(projectId: string, path: string): Promise<void> {
  showOpened(await api.projects.relink({ projectId, path }));
}

type Named = Pick<ProjectView, 'id'>;

export function showFacts({ id }: Pick<ProjectView, 'id'>): void {
  const { view, projectId } = navigation.place;
  const detail = { facts: 'all' };
  if (view === 'projects' && projectId === id) navigation.stepInto(detail);
  else navigation.go('projects', { projectId: id, detail });
}

export function showHistory(projectId: string | null): void {
  const detail = { history: projectId ?? 'all' };
  if (navigation.place.view === 'projects') navigation.stepInto({ ...navigation.place.detail, ...detail });
  else navigation.go('projects', { detail });
}

export async function archiveProject({ id }: Named): Promise<void> {
  try {
    await act('projects.archive', { projectId: id });
    navigation.go('projects', { projectId: null });
    await projects.read();
  } catch (error) {
    toastError(error);
  }
}

export async function unarchiveProject({ id }: Named): Promise<void> {
  try {
    await act('projects.unarchive', { projectId: id });
    await projects.read();
    if (navigation.place.projectId !== id) navigation.go('projects', { projectId: id });
  } catch (error) {
    toastError(error);
  }
}

type Opened = Awaited<ReturnType<typeof api.projects.open>>;

function showOpened({ project, adoptedTakes, limits, problems }: Opened, view: ViewName = 'projects'): void {
  void projects.read();
  navigation.go(view, { projectId: project.id });
  if (adoptedTakes > 0) toast(t('window.adopted', { count: adoptedTakes, project: project.name }));
  for (const limit of limits.slice(0, 3)) toast(sayText(limit));
  for (const problem of problems.slice(0, 3)) toastError(new Error(sayText(problem)));
}
