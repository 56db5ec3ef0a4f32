import type { WindowPlace } from '../../contract/place.ts';
import type { NewReport } from '../../contract/night-report.ts';
import type { ProjectView } from '../../contract/project.ts';

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
