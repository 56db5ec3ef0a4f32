import type { Clock } from '../base/ports.ts';
import type { Stores } from '../db/stores.ts';
import type { Project } from '../db/project-store.ts';
import { readBatchFiles, readBatchHeads } from '../files/batch-file.ts';
import { adoptFolder, toProblem, type Adoption } from './adopt.ts';
import { adoptNames } from './adopt-batches.ts';
import { adoptArrangement } from './arrangement.ts';
import { adoptLimits, type FoundLimit } from './limits.ts';
import { readRecipes } from './recipe-file.ts';

interface TakeIn {
  readonly known: ReadonlySet<string>;
  /** A person opened the project, so it belongs on the list. So does one with batches from elsewhere. */
  readonly isOpened: boolean;
  readonly isUnderWay: (takeId: string) => boolean;
  readonly clock: Clock;
}

interface TakenIn extends Adoption {
  readonly limits: readonly FoundLimit[];
}

/**
 * Takes in what lies in a project's folder: batches, takes that were sent from elsewhere, how people arranged it, and what
 * limits it. Nothing about a project is decided before: not what would be paid again, which batch a name means, what a prompt's
 * variables stand for or which row is outdated. An engine does it when it claims the project (`ProjectClaims`); a
 * command that looks without an engine does it in a copy of the database (`viewProject`). Nobody else decides.
 */
export async function takeInFolder(
  stores: Stores,
  folder: Project,
  { known, isOpened, isUnderWay, clock }: TakeIn,
): Promise<TakenIn> {
  if (isOpened) stores.projects.begin(folder, clock.now());
  const wanted = adoptNames(stores.batches, folder.id, await readBatchHeads(folder.path), clock.now());
  const batches = readBatchFiles(folder.path, (id) => wanted.has(id));
  const recipes = readRecipes(folder.path, (id) => !known.has(id));
  const adoption = await adoptFolder(
    stores,
    { projectId: folder.id, projectPath: folder.path, batches, recipes, isUnderWay },
    clock.now(),
  );
  const unarranged = await adoptArrangement(stores, folder, (batchId) => mayArchive(stores, batchId));
  const { found: limits, problem: unlimited } = await adoptLimits(stores, folder, clock.now());
  // A list run before its takes are known would make them all again, so it waits for this work to end.
  stores.batches.inOneCommit(() => {
    if (stores.batches.endAdoption(folder.id) || isOpened) stores.projects.opened(folder.id, clock.now());
  });
  const unread = [unarranged, unlimited].filter((problem) => problem !== null);
  return { ...adoption, limits, problems: [...adoption.problems, ...unread.map(toProblem)] };
}

function mayArchive({ tally }: Stores, batchId: string): boolean {
  const { unfinished, unknown } = tally.counts({ batchId });
  return unfinished + unknown === 0;
}
