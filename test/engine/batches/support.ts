import { sayText } from '../../../src/contract/messages/words.ts';
import type { Defect } from '../../../src/contract/shot.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import type { CheckOptions } from '../../../src/engine/batches/validate.ts';
import { toAccountModels, type AccountModels } from '../../../src/engine/models/index.ts';

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export const tableOf = (text: string) => readTable({ bytes: bytesOf(text) });

export async function check(text: string, options: Partial<CheckOptions> = {}) {
  return checkList(await tableOf(text), { listFolder: '/nowhere', ...options });
}

/** An account with these models, of which the service says nothing more. */
export const listing = (...ids: string[]): AccountModels => toAccountModels(ids.map((id) => ({ id })));

/** What defects say in English. */
export const inWords = (defects: readonly Defect[]) =>
  defects.map((defect) => ({ ...defect, problem: sayText(defect.problem), remedy: sayText(defect.remedy) }));

/** Defects as `severity row/column "value": problem`, short enough to compare. */
export function told(defects: readonly Defect[]): string[] {
  return inWords(defects).map(
    ({ severity, row, column, value, problem }) => `${severity} ${row}/${column} "${value}": ${problem}`,
  );
}

export const errorsOf = (defects: readonly Defect[]) => inWords(defects.filter(({ severity }) => severity === 'error'));
