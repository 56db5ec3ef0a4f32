import type { Project, ProjectStore } from '../db/project-store.ts';
import { unknownProject } from '../projects/overview.ts';

export function projectOf(projects: ProjectStore, projectId: string): Project {
  const found = projects.get(projectId);
  if (!found) throw unknownProject(projectId);
  return found;
}
