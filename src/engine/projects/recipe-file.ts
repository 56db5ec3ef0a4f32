import { Recipe } from '../../contract/take.ts';
import { replaceFile } from './durable.ts';
import { jsonPath, readAllJson, readJson } from './json-files.ts';
import type { FileProblem } from './json-files.ts';
import { projectFolders } from './project-folder.ts';

/** A prompt of a megabyte and its request fit several times. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Absolute path of the recipe of a take: `<project>/.dailies/takes/<take id>.json`. */
export function recipePath(projectPath: string, takeId: string): string {
  return jsonPath(projectFolders(projectPath).takesFolder, takeId);
}

/**
 * Writes the recipe of a take, replacing the one before as a whole. `syncName: false` spares the sync of the folder,
 * for states that the database can write again.
 */
export async function writeRecipe(
  projectPath: string,
  recipe: Recipe,
  options?: { syncName?: boolean },
): Promise<void> {
  await replaceFile(recipePath(projectPath, recipe.takeId), `${JSON.stringify(recipe, null, 2)}\n`, options);
}

/** The recipe of one take, or null when there is none that can be read. */
export async function readRecipe(projectPath: string, takeId: string): Promise<Recipe | null> {
  const read = await readJson(recipePath(projectPath, takeId), Recipe, MAX_BYTES);
  return 'value' in read ? read.value : null;
}

/** The recipes of a project whose take ids are `wanted`. A file that is broken or too new is reported and skipped, never removed. */
export async function readRecipes(
  projectPath: string,
  wanted?: (takeId: string) => boolean,
): Promise<{ readonly recipes: Recipe[]; readonly problems: FileProblem[] }> {
  const { values, problems } = await readAllJson(projectFolders(projectPath).takesFolder, Recipe, MAX_BYTES, wanted);
  return { recipes: values, problems };
}
