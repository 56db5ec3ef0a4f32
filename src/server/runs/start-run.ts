import type { Engine } from '../../engine/engine.ts';
import type { StartBatch } from '../../engine/batches/start-batch.ts';
import { realPath } from '../../engine/files/existing-paths.ts';
import type { OpenedProject } from '../../engine/projects/project-claims.ts';
import type { StartedRun } from '../../contract/run.ts';

export interface RunToStart extends Omit<StartBatch, 'project' | 'agreed'> {
  /** Real paths that a person agrees to send besides the files below the list's folder. */
  readonly agreed: readonly string[];
}

/** Stores a checked list as a batch of the project in a folder, and says what that has done. */
export async function startRun(engine: Engine, folder: string, list: RunToStart): Promise<StartedRun> {
  const project = await engine.projects.open(folder, list.by);
  const agreed = [await realPath(list.listFolder), ...list.agreed];
  const { batch, plan, newTakes, waiting } = await engine.batches.start({ ...list, project, agreed });
  return {
    project: projectOfRun(project),
    batch: { id: batch.id, name: batch.name, folder: batch.folder },
    added: plan.added.length,
    changed: plan.changed.length,
    unchanged: plan.unchanged.length,
    removed: plan.removed.length,
    newTakes,
    waiting,
  };
}

export const projectOfRun = ({
  id,
  name,
  path,
  adoptedTakes,
  limits,
  problems,
}: OpenedProject): StartedRun['project'] => ({
  id,
  name,
  path,
  adoptedTakes,
  limits: [...limits],
  problems: [...problems],
});
