import * as z from 'zod';
import { messageFor, Text, type Message } from './messages/message.ts';

/** The folder of a project in which the files of takes lie that a person has put away; relative to the project folder. */
export const TRASH_FOLDER = '.trash';

/** `trashed`: the files of a take lie in the trash. `emptied`: they were removed from there for good. */
export const TrashState = z.enum(['trashed', 'emptied']);
export type TrashState = z.infer<typeof TrashState>;

/** On the way to a state, or in it. `restoring` leads back to the files' own places. */
export const TrashPhase = z.enum(['trashing', 'trashed', 'restoring', 'emptying', 'emptied']);
export type TrashPhase = z.infer<typeof TrashPhase>;

/** The state of a phase for people and recipes: where it leads to. Null for files in their own places. */
export function toTrashState(phase: TrashPhase | null): TrashState | null {
  switch (phase) {
    case 'trashing':
    case 'trashed':
      return 'trashed';
    case 'emptying':
    case 'emptied':
      return 'emptied';
    case 'restoring':
    case null:
      return null;
  }
}

/** The search for takes whose files lie in the trash: those that were removed from there are left out. */
export const LYING_IN_TRASH = 'state:trashed has:file';

/** The search for takes of a batch that go to the trash when only picks and good ratings are kept. */
export const NOT_WORTH_KEEPING = '-flag:pick rating:<4';

export const KeptTake = z.object({ takeId: z.string(), shot: z.string(), take: z.int(), problem: Text });
export type KeptTake = z.infer<typeof KeptTake>;

/** Why takes stay where they are: a line for each reason. */
export function whyTakesStay({ reasons }: { readonly reasons: readonly KeptTake[] }): Message[] {
  return [...Map.groupBy(reasons, ({ problem }) => JSON.stringify(problem)).values()].map((those) => {
    const [{ shot, take, problem: reason }] = those as [KeptTake];
    return those.length === 1
      ? messageFor('trash.takeStays', { shot, take, reason })
      : messageFor('trash.takesStay', { count: those.length, reason });
  });
}

export const MAX_REASONS = 100;

export const TrashSize = z.object({
  takes: z.int(),
  files: z.int(),
  bytes: z.int(),
});
export type TrashSize = z.infer<typeof TrashSize>;

const Kept = {
  kept: z.int(),
  reasons: z.array(KeptTake),
};

export const TrashPlan = TrashSize.extend({
  picks: z.int(),
  unjudged: z.int(),
  uploaded: z.int(),
  ...Kept,
});
export type TrashPlan = z.infer<typeof TrashPlan>;

export const TrashDone = TrashSize.extend({ takeIds: z.array(z.string()), ...Kept });
export type TrashDone = z.infer<typeof TrashDone>;

/** Takes asked about in one call: some of many, so that it is seen how far it has come, and can be stopped. */
export const TAKES_AT_ONCE = 500;

/** Asks about many takes, some at a time, and sums up the answers. A caller that stops reading stops it. */
export async function* askInParts<Answer extends TrashPlan | TrashDone>(
  takeIds: readonly string[],
  ask: (ids: string[]) => Promise<Answer>,
): AsyncGenerator<{ readonly sum: Answer; readonly asked: number }, void, undefined> {
  let sum: Answer | null = null;
  for (let start = 0; start < takeIds.length; start += TAKES_AT_ONCE) {
    const answer = await ask(takeIds.slice(start, start + TAKES_AT_ONCE));
    sum = sum === null ? answer : added(sum, answer);
    yield { sum, asked: Math.min(start + TAKES_AT_ONCE, takeIds.length) };
  }
}

function added<Answer extends TrashPlan | TrashDone>(one: Answer, other: Answer): Answer {
  const facts = Object.entries(other).map(([name, value]) => {
    const before: unknown = one[name as keyof Answer];
    return [name, Array.isArray(before) ? [...before, ...(value as [])] : Number(before) + Number(value)] as const;
  });
  const sum = { ...one, ...Object.fromEntries(facts) };
  return { ...sum, reasons: sum.reasons.slice(0, MAX_REASONS) };
}
