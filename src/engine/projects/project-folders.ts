import type { Actor } from '../../contract/history.ts';
import type { NoteOf } from '../db/history-store.ts';
import type { ProjectStore } from '../db/project-store.ts';
import { exportProject } from './export-project.ts';
import { checkIsProject, projectOf } from './overview.ts';
import { zipIn, zipProject } from './zip-project.ts';
import type { OpenedProject, ProjectClaims } from './project-claims.ts';

interface Parts {
  readonly projects: ProjectStore;
  readonly note: NoteOf;
  readonly claims: ProjectClaims;
  /** Resolves when pending writes to project folders have ended. */
  readonly written: () => Promise<unknown>;
  readonly opened: (projectId: string) => Promise<void>;
  /** A project is on another service: its requests have other prices. */
  readonly serviceChanged: () => void;
}

/** Opens the folders of projects, and copies them. */
export class ProjectFolders {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async open(path: string, by: Actor = 'engine'): Promise<OpenedProject> {
    const { claims, opened, projects, note } = this.#parts;
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

  /** Records that the folder of a known project was moved. Throws RefusedError if `path` is not that project. */
  async relink(projectId: string, path: string, by: Actor = 'engine'): Promise<OpenedProject> {
    await checkIsProject(path, projectId);
    return this.open(path, by);
  }

  async *export(
    projectId: string,
    into: string,
    { asZip }: { readonly asZip: boolean },
  ): ReturnType<typeof exportProject> {
    const { path } = projectOf(this.#parts.projects, projectId);
    await this.#parts.written();
    return yield* asZip ? zipProject(path, zipIn(into, path)) : exportProject(path, into);
  }

  putOnService(projectId: string, name: string): void {
    const { projects, serviceChanged } = this.#parts;
    if (projects.service(projectId) === name) return;
    projects.setService(projectId, name);
    serviceChanged();
  }
}
