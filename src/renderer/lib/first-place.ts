import type { WindowPlace } from '../../contract/place.ts';
import type { NewReport, NextStep } from '../../contract/night-report.ts';
import type { ProjectView } from '../../contract/project.ts';
import { countTakes } from '../../contract/batch.ts';

type Known = Pick<ProjectView, 'id' | 'openedAt' | 'isSample' | 'available'>;

/**
 * Where a window opens that no address leads anywhere: at the new takes of a night that nobody has looked at, else where a
 * window was last, or else at the project that was opened last. The sample comes after all others. Pure.
 */
export function firstPlace(
  last: WindowPlace | null,
  {
    listed,
    archived,
    night,
  }: {
    readonly listed: readonly Known[];
    readonly archived: readonly Pick<Known, 'id'>[];
    readonly night?: Pick<NewReport, 'projectId' | 'night' | 'isOver' | 'report'> | undefined;
  },
): WindowPlace {
  if (night?.isOver && night.report.takes.saved > 0)
    return { view: 'review', projectId: night.projectId, detail: { since: String(night.night) } };
  const isKnown = (id: string): boolean => [...listed, ...archived].some((project) => project.id === id);
  if (last?.projectId != null && isKnown(last.projectId)) return last;
  const [newest] = listed
    .filter(({ available }) => available)
    .toSorted((one, other) => Number(one.isSample) - Number(other.isSample) || other.openedAt - one.openedAt);
  return { view: 'projects', projectId: newest?.id ?? null, detail: {} };
}

/** What only a person can do, in the order in which nights are shown for it. */
const URGENT: readonly NextStep[] = ['decide', 'fix_failed', 'raise_cap', 'set_key', 'add_credit', 'free_disk'];

/**
 * The night to show of these, which are the newest first: of one project, or (null) of the project that needs a person
 * most. A night of the sample is not shown in place of one of a real project, whose work is what matters. Pure.
 */
export function nightToShow(
  nights: readonly NewReport[],
  projectId: string | null,
  projects: readonly Pick<ProjectView, 'id' | 'isSample' | 'counts'>[],
): NewReport | undefined {
  if (projectId !== null) return nights.find((night) => night.projectId === projectId);
  const real = projects.filter(({ isSample }) => !isSample);
  const hasRealWork = real.some(({ counts }) => countTakes(counts) > 0);
  const shown = hasRealWork ? nights.filter((night) => real.some(({ id }) => id === night.projectId)) : nights;
  return shown.toSorted((one, other) => toUrgency(one) - toUrgency(other))[0];
}

function toUrgency({ report: { next, earlierDecisions } }: NewReport): number {
  if (earlierDecisions > 0) return 0;
  const first = URGENT.findIndex((step) => next.some((each) => each.step === step));
  return first === -1 ? URGENT.length : first;
}

type Candidate = Pick<ProjectView, 'id' | 'path' | 'openedAt' | 'available' | 'isSample'>;

/**
 * The project for a list opened from outside: the one whose folder has it, else the one that the window shows, else the
 * one opened last. The sample counts only when the list is in it, or it is shown.
 */
export function projectForList<Project extends Candidate>(
  path: string,
  all: readonly Project[],
  currentId: string | null,
): Project | null {
  const there = all.filter(({ available }) => available);
  const around = there
    .filter((project) => path.startsWith(project.path) && /^[\\/]/.test(path.slice(project.path.length)))
    .sort((a, b) => b.path.length - a.path.length);
  const latest = there.filter(({ isSample }) => !isSample).sort((a, b) => b.openedAt - a.openedAt);
  return around[0] ?? there.find(({ id }) => id === currentId) ?? latest[0] ?? null;
}
