import type { ProjectView } from '../../../../contract/project.ts';

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
