import type { OpenedProject } from '../../engine/projects/project-claims.ts';
import type { StartedBatch } from '../../engine/batches/start-batch.ts';
import type { StartedRun } from '../../contract/run.ts';

/** What storing a list has done, as it is told. */
export function startedRun(project: OpenedProject, { batch, plan, newTakes, waiting }: StartedBatch): StartedRun {
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

export const projectOfRun = ({ id, name, path, adoptedTakes, problems }: OpenedProject): StartedRun['project'] => ({
  id,
  name,
  path,
  adoptedTakes,
  problems: [...problems],
});
