import { t } from '../../../../contract/messages/words.ts';
import type { ProposedShot } from '../../../../contract/tool.ts';
import type { NewPrompts } from '../../../../contract/draft-list.ts';
import { cut } from '../../../lib/word-diff.ts';
import { writeTsv } from '../draft/cell-texts.ts';

/** A prompt that a model was asked about, and the row of the list that it was in; null where that is not known. */
export interface SentPrompt {
  readonly text: string;
  readonly row: number | null;
}

export interface PromptRows {
  readonly count: number;
  readonly prompt: (row: number) => string;
  readonly name: (row: number) => string;
}

export interface Change {
  readonly id: string;
  readonly row: number;
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly isNew: boolean;
}

export interface Proposal {
  readonly changes: readonly Change[];
  readonly same: readonly string[];
  /** No answer came for them. */
  readonly missing: readonly string[];
  /** Prompts that came back, and that the list does not have any more. */
  readonly gone: number;
}

/**
 * The changes that answers would make in a list. `answers` has the new prompts of each one sent, null where no answer
 * came. A row is found by its prompt, and by its place where several rows have the same: the list may have been edited
 * since.
 */
export function proposalFor(
  sent: readonly SentPrompt[],
  answers: readonly (readonly string[] | null)[],
  rows: PromptRows,
): Proposal {
  const found = { changes: [] as Change[], same: [] as string[], missing: [] as string[] };
  let gone = 0;
  const places = placesFor(sent, rows);
  for (const [index, { text: before }] of sent.entries()) {
    const row = places[index] ?? null;
    const answer = answers[index] ?? null;
    if (row === null) {
      if (answer !== null) gone += 1;
      continue;
    }
    const name = rows.name(row);
    if (answer === null || answer.length === 0) found.missing.push(name);
    else if (answer.every((after) => after === before)) found.same.push(name);
    for (const [version, after] of (answer ?? []).entries()) {
      if (after === before) continue;
      found.changes.push({ id: `${row} ${version}`, row, name, before, after, isNew: version > 0 });
    }
  }
  return { ...found, gone };
}

/** The row that each prompt is in now; null where no row has it. */
function placesFor(sent: readonly SentPrompt[], rows: PromptRows): readonly (number | null)[] {
  const isThere = ({ text, row }: SentPrompt): boolean => row !== null && row < rows.count && rows.prompt(row) === text;
  const taken = new Set(sent.filter(isThere).map(({ row }) => row));
  if (sent.every(isThere)) return sent.map(({ row }) => row);
  const wanted = new Set(sent.map(({ text }) => text));
  const free = new Map<string, number[]>();
  for (let row = 0; row < rows.count; row += 1) {
    const text = rows.prompt(row);
    if (wanted.has(text) && !taken.has(row)) free.set(text, [...(free.get(text) ?? []), row]);
  }
  return sent.map((each) => (isThere(each) ? each.row : (free.get(each.text)?.shift() ?? null)));
}

export function takenPrompts(changes: readonly Change[]): ReadonlyMap<number, NewPrompts> {
  const byRow = Map.groupBy(changes, ({ row }) => row);
  return new Map(
    [...byRow].map(([row, ofRow]) => [
      row,
      {
        inPlace: ofRow.find(({ isNew }) => !isNew)?.after,
        below: ofRow.filter(({ isNew }) => isNew).map(({ after }) => after),
      },
    ]),
  );
}

export function namesInWords(names: readonly string[]): string {
  const named = names.slice(0, 8).map((name) => cut(name, 40));
  const more = names.length - named.length;
  return more > 0
    ? t('tools.andMore', { names: named.join(t('common.listSeparator')), count: more })
    : named.join(t('common.listSeparator'));
}

/** New prompts whose list is gone, as the shots of another one. */
export const promptsAsShots = (prompts: readonly (readonly string[])[]): ProposedShot[] =>
  prompts.flat().map((prompt, index) => ({ key: String((index + 1) * 10).padStart(3, '0'), prompt }));

export const shotsAsList = (shots: readonly ProposedShot[]): string =>
  writeTsv([
    ['shot', 'prompt', 'duration', 'notes'],
    ...shots.map(({ key, prompt, duration, notes = '' }) => [key, prompt, duration?.toString() ?? '', notes]),
  ]);
