import type { ProjectView } from '../../../../contract/project.ts';

type Candidate = Pick<ProjectView, 'id' | 'path' | 'openedAt' | 'available' | 'isSample'>;

/**
 * The project that a list opened from outside is for: the one in whose folder it lies, else the one the window is in, else
 * the one opened last. The sample is nobody's work: it is for a list only when the list lies in it, or it is shown.
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
