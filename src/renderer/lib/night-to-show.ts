import { countTakes } from '../../contract/batch.ts';
import type { NewReport, NextStep } from '../../contract/night-report.ts';
import type { ProjectView } from '../../contract/project.ts';

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
