import { knownProject, lookAt } from '../looking.ts';
import type { Session } from '../session.ts';
import type { EngineAtWork, ListStart, StartedList } from './engine-at-work.ts';

/**
 * Stores a list once, however many engines are asked: one that was lost may have stored it before it could say so.
 * Storing the same list again completes it and makes nothing twice, unless new takes of everything are wanted.
 */
export function startingOnce(session: Session, start: ListStart): (engine: EngineAtWork) => Promise<StartedList> {
  let before: number | null = null;
  return async (engine) => {
    const wasStored = before !== null && storedTakes(session, start) > before;
    before ??= start.again ? storedTakes(session, start) : 0;
    return engine.startList({ ...start, again: start.again && !wasStored }, session.interrupted);
  };
}

/** How many takes the batch has; none while its import is cut off, since repeating that completes it. */
function storedTakes({ dataFolder }: Session, { project: path, batch: name }: ListStart): number {
  return lookAt(dataFolder, (view) => {
    const project = view && knownProject(view.projects, path);
    const batch = project && view.batches.named(project.id, name);
    if (!batch || view.batches.interruptedImports().some(({ id }) => id === batch.id)) return 0;
    return view.jobs.list({ batchId: batch.id }).length;
  });
}
