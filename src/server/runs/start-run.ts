import { messageFor } from '../../contract/messages/message.ts';
import { parsedJson } from '../../contract/json.ts';
import type { ListToRun, StartedRun } from '../../contract/run.ts';
import { ShotSpec } from '../../contract/shot.ts';
import { RefusedError } from '../../engine/base/errors.ts';
import { givingWay } from '../../engine/base/slices.ts';
import { realPath, wholePath } from '../../engine/files/existing-paths.ts';
import type { OpenedProject } from '../../engine/projects/project-claims.ts';
import type { Services } from '../services.ts';

/** Stores a checked list as a batch of the project in a folder, and says what that has done. */
export async function startRun(
  { engine, caller }: Pick<Services, 'engine' | 'caller'>,
  { project: folder, listFolder: named, texts, agreed = [], ...list }: ListToRun,
  signal?: AbortSignal,
): Promise<StartedRun> {
  const listFolder = wholePath(named);
  const shots = await shotsIn(list.shots);
  const project = await engine.projects.open(wholePath(folder), caller);
  const { batch, plan, newTakes, waiting } = await engine.batches.start({
    ...{ ...list, project, listFolder, shots, signal, by: caller },
    texts: new Map(Object.entries(texts)),
    agreed: [await realPath(listFolder), ...agreed],
  });
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

export const textOfShots = (shots: readonly ShotSpec[]): string => shots.map((shot) => JSON.stringify(shot)).join('\n');

/** Throws RefusedError, before anything is stored, for what no command has checked. */
async function shotsIn(text: string): Promise<ShotSpec[]> {
  const shots = new Map<string, ShotSpec>();
  const giveWay = givingWay();
  const lines = text.split('\n');
  for (const line of lines) {
    const { data: shot } = ShotSpec.safeParse(parsedJson(line));
    if (shot) shots.set(shot.key, shot);
    const turn = giveWay();
    if (turn) await turn;
  }
  if (shots.size === lines.length) return [...shots.values()];
  throw new RefusedError('list_has_errors', messageFor('failure.listNotStarted'), messageFor('remedy.correctList'));
}

export const projectOfRun = ({
  id,
  name,
  path,
  adoptedTakes,
  limits,
  problems,
}: OpenedProject): StartedRun['project'] => ({
  ...{ id, name, path, adoptedTakes },
  limits: [...limits],
  problems: [...problems],
});
