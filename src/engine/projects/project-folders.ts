import type { Actor } from '../../contract/history.ts';
import type { NoteOf } from '../db/history-store.ts';
import type { ProjectStore } from '../db/project-store.ts';
import { exportProject } from './export-project.ts';
import { checkIsProject } from '../files/project-folder.ts';
import { projectFor } from './overview.ts';
import { zipIn, zipProject } from './zip-project.ts';
import type { OpenedProject, ProjectClaims } from './project-claims.ts';

export function projectFolders({
  projects,
  note,
  claims,
  written,
  opened,
  serviceChanged,
}: {
  readonly projects: ProjectStore;
  readonly note: NoteOf;
  readonly claims: ProjectClaims;
  readonly written: () => Promise<unknown>;
  readonly opened: (projectId: string) => Promise<void>;
  /** A project is on another service: its requests have other prices. */
  readonly serviceChanged: () => void;
}) {
  async function open(path: string, by: Actor = 'engine'): Promise<OpenedProject> {
    const before = new Map(projects.list().map((known) => [known.id, known.path]));
    const project = await claims.open(path);
    const { id: projectId, name, path: folder } = project;
    const code = !before.has(projectId)
      ? 'project.opened'
      : before.get(projectId) !== folder
        ? 'project.relinked'
        : null;
    if (code && by !== 'engine') note(code, { project: name, folder }, { projectId, by });
    await opened(project.id);
    return project;
  }
  return {
    open,
    /** Records that the folder of a known project was moved. Throws RefusedError if `path` is not that project. */
    async relink(projectId: string, path: string, by: Actor = 'engine'): Promise<OpenedProject> {
      await checkIsProject(path, projectId);
      return open(path, by);
    },
    async *export(
      projectId: string,
      into: string,
      { asZip }: { readonly asZip: boolean },
    ): ReturnType<typeof exportProject> {
      const { path } = projectFor(projects, projectId);
      await written();
      return yield* asZip ? zipProject(path, zipIn(into, path)) : exportProject(path, into);
    },
    putOnService(projectId: string, name: string): void {
      if (projects.service(projectId) === name) return;
      projects.setService(projectId, name);
      serviceChanged();
    },
  };
}
export type ProjectFolders = ReturnType<typeof projectFolders>;
