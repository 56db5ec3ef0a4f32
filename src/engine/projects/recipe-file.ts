import { Recipe } from '../../contract/take.ts';
import { fileOf, readAllJson, readJson, type JsonRead } from '../files/json-files.ts';
import type { Place } from '../files/place.ts';
import { ownFolders } from '../files/project-folder.ts';
import { replaceFile } from '../files/project-files.ts';

/** A prompt of a megabyte and its request fit several times. */
const MAX_BYTES = 16 * 1000 ** 2;

/** Where the recipe of a take lies: `<project>/.dailies/takes/<take id>.json`. */
export function recipePlace(projectPath: string, takeId: string): Place {
  return fileOf(ownFolders(projectPath).takes, takeId);
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
  await replaceFile(recipePlace(projectPath, recipe.takeId), `${JSON.stringify(recipe, null, 2)}\n`, options);
}

/** The recipe of one take, or null when there is none that can be read. */
export async function readRecipe(projectPath: string, takeId: string): Promise<Recipe | null> {
  const read = await readJson(recipePlace(projectPath, takeId), Recipe, MAX_BYTES);
  return 'value' in read ? read.value : null;
}

/** The recipes of a project whose take ids are `wanted`, some at a time. A file that is broken or too new is reported, never removed. */
export function readRecipes(
  projectPath: string,
  wanted: (takeId: string) => boolean = () => true,
): AsyncGenerator<JsonRead<Recipe>[]> {
  return readAllJson(ownFolders(projectPath).takes, Recipe, MAX_BYTES, wanted);
}
