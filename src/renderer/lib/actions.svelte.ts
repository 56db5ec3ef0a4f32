import { t, sayText, saySentences } from '../../contract/messages/words.ts';
import { Archive, Copy, MoonStar, NotebookPen, PencilLine } from '@lucide/svelte';
import { act } from './act.ts';
import { api, toTrouble } from './client.ts';
import type { ViewName } from '../../contract/place.ts';
import { navigation } from './state/navigation.svelte.ts';
import { projects } from './state/projects.svelte.ts';
import type { ProjectView } from '../../contract/project.ts';
import { toast, toastError } from './toasts.ts';
import type { BatchView, NextWait } from '../../contract/batch.ts';
import { type NightWindow, windowFor } from '../../contract/night-window.ts';
import { fileName, openList } from './files.ts';
import { timeInWords } from '../../contract/in-words.ts';
import { isHeldBy, unsentInWords } from './queued-words.ts';
import { queue } from './state/queue.svelte.ts';
import { settings } from './state/settings.svelte.ts';

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

/** Shows the first thing that a person has to do before rows go on: in the open project, else in any. */
export async function goToNextWait(): Promise<void> {
  try {
    const { projectId } = navigation.place;
    const here = projectId === null ? [] : await api.jobs.nextWaits({ projectId, count: 1 });
    const [next] = here.length > 0 ? here : await api.jobs.nextWaits({ count: 1 });
    if (!next) toast(t('window.nothingWaits'));
    else if (next.isSaved) showToPick(next);
    else navigation.go('queue', { detail: { batch: next.batchId, job: next.takeId, details: 'open' } });
  } catch (error) {
    toastError(error);
  }
}

const showToPick = ({ projectId, batchId: batch, takeId: take }: NextWait): void =>
  navigation.go('review', { projectId, detail: { batch, take } });

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

/**
 * Opens a folder as a project, making one of it when it is none, and shows it. Where there are several accounts, a new one
 * is opened once the person has chosen who pays for it. Throws the engine's refusal.
 */
export async function openProject(path: string, account?: string): Promise<void> {
  try {
    showOpened(await api.projects.open({ path, account }));
  } catch (error) {
    if (toTrouble(error).code !== 'account_needed') throw error;
    const name = fileName(path);
    accountQuestion.open = { name, current: null, choose: (chosen) => openProject(path, chosen) };
  }
}

interface AccountChoice {
  /** Of the project. */
  readonly name: string;
  /** Null for a project that has none yet. */
  readonly current: string | null;
  /** Rejects with the engine's refusal. */
  readonly choose: (account: string) => Promise<unknown>;
}

class AccountQuestion {
  open = $state.raw<AccountChoice | null>(null);
}

export const accountQuestion = new AccountQuestion();

/** Whether it is of interest which account pays for a project: the sample costs nothing. */
export const hasAccountChoice = (project: ProjectView | null): project is ProjectView =>
  project?.isSample === false && (settings.accounts.length > 1 || project.account === null);

export function chooseAccount({ id: projectId, name, account: current }: ProjectView): void {
  const choose = (account: string): Promise<unknown> => act('projects.account', { projectId, account });
  accountQuestion.open = { name, current: current ?? '', choose };
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

/** What a dialog asks about a batch; `window` is the one that the batch has now. */
type BatchQuestion = { readonly batch: BatchView } & (
  | { readonly about: 'name' | 'notes' }
  | { readonly about: 'window'; readonly window: NightWindow | null }
);

class BatchQuestions {
  open = $state.raw<BatchQuestion | null>(null);

  /** A batch's own window is read only now, because few of many batches have one. */
  async askWindow(batch: BatchView): Promise<void> {
    try {
      const all = await api.windows.list();
      const own = all.find(({ scope }) => scope.scope === 'batch' && scope.batchId === batch.id);
      this.open = { about: 'window', batch, window: own?.window ?? null };
    } catch (error) {
      toastError(error);
    }
  }
}

export const batchQuestions = new BatchQuestions();

/** What can be done with a batch, for its menu and for the palette. `asks`: a dialog comes first. */
export const batchActions = (batch: BatchView) => {
  const { id: batchId, projectId } = batch;
  const ask = (about: 'name' | 'notes') => (batchQuestions.open = { about, batch });
  const copyAs = t('batch.copyName', { batch: batch.name.slice(0, 150) });
  return [
    { id: 'rename', action: t('common.rename'), asks: true, icon: PencilLine, run: () => ask('name') },
    { id: 'notes', action: t('column.notes'), asks: true, icon: NotebookPen, run: () => ask('notes') },
    { id: 'window', action: t('night.title'), asks: true, icon: MoonStar, run: () => batchQuestions.askWindow(batch) },
    {
      ...{ id: 'duplicate', action: t('batch.duplicate'), asks: false, icon: Copy },
      run: () => openList(projectId, { type: 'batch', batchId, copyAs }).catch(toastError),
    },
    {
      ...{ id: 'archive', action: t('common.archive'), asks: false, icon: Archive },
      run: () => act('batches.archive', { batchId }).catch(toastError),
    },
  ];
};

export const unarchiveBatch = ({ id }: BatchView): Promise<unknown> =>
  act('batches.unarchive', { batchId: id }).catch(toastError);

interface StartedBatch {
  readonly batch: Pick<BatchView, 'id' | 'projectId' | 'name'>;
  readonly newTakes: number;
  /** When its takes are sent, ms, where they are on hold until then. */
  readonly at?: number | null;
}

/** Says in passing what became of a start in the open project: takes are queued, and what they wait for. Never rejects. */
export async function toastQueued(
  { batch: { id: batchId, projectId, name: batch }, newTakes: takes, at = null }: StartedBatch,
  action?: Parameters<typeof toast>[1],
): Promise<void> {
  const unsent = at === null ? await whyUnsent({ projectId, batchId }) : t('when.waits', { time: timeInWords(at) });
  toast(saySentences(t('window.queued', { takes, batch }), unsent), action);
}

/**
 * Why takes in the open project that were queued just now are not sent yet, as it is after that: only a sent take costs
 * money. Empty where nothing is known to hold them back. Never rejects.
 */
export async function whyUnsent(queued: Omit<Parameters<typeof isHeldBy>[0], 'accountId'>): Promise<string> {
  const takes = { ...queued, accountId: settings.accountOf(projects.current)?.id };
  const [windows] = await Promise.all([api.windows.list().catch(() => []), queue.read()]);
  return unsentInWords({
    gates: queue.view?.status.gates.filter((gate) => isHeldBy(takes, gate)) ?? [],
    window: windowFor(takes, windows),
    isSample: projects.current?.isSample ?? false,
  });
}
