import { Recipe } from '../../contract/take.ts';
import { fileOf, readAllJson, readJson, requireReadable, type JsonRead } from '../files/json-files.ts';
import type { Place } from '../files/place.ts';
import { ownFolders } from '../files/project-folder.ts';
import { replaceFile } from '../files/project-files.ts';

/** Several times the size of the longest row, its request and a text of one megabyte that it is made from. */
const MAX_BYTES = 8 * 1000 ** 2;

export function recipePlace(projectPath: string, takeId: string): Place {
  return fileOf(ownFolders(projectPath).takes, takeId);
}

/**
 * Writes the recipe of a take as a whole, replacing the earlier one. `syncName: false` skips the sync of the folder,
 * for states that the database can write again.
 */
export async function writeRecipe(
  projectPath: string,
  recipe: Recipe,
  options?: { syncName?: boolean },
): Promise<void> {
  const text = `${JSON.stringify(recipe, null, 2)}\n`;
  // What the service offers to do with the take is worth less than a recipe that can be read again.
  const { extras: _extras, ...needed } = recipe;
  const isTooLong = Buffer.byteLength(text) > MAX_BYTES;
  const content = isTooLong ? `${JSON.stringify(needed)}\n` : text;
  await replaceFile(recipePlace(projectPath, recipe.takeId), content, options);
}

/** The recipe of a take; null if there is none, or what is there is none. Rejects while the file cannot be read. */
export async function readRecipe(projectPath: string, takeId: string): Promise<Recipe | null> {
  const read = await readJson(recipePlace(projectPath, takeId), Recipe, MAX_BYTES);
  if ('value' in read) return read.value;
  requireReadable(read.problem);
  return null;
}

/**
 * The recipes of a project whose take ids are `wanted`, some at a time. A broken or too new file is reported, never
 * removed.
 */
export function readRecipes(
  projectPath: string,
  wanted: (takeId: string) => boolean = () => true,
): AsyncGenerator<JsonRead<Recipe>[]> {
  return readAllJson(ownFolders(projectPath).takes, Recipe, MAX_BYTES, wanted);
}
