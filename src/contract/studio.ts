import * as z from 'zod';
import { Text } from './messages/message.ts';

const name = z.string().trim().min(1).max(80);

export const StudioToJoin = z.object({
  /** Without a password, which would be stored and shown with it. */
  address: z.string().trim().min(1).max(1000),
  /** Goes to the keychain and nowhere else; empty: the one that is there. */
  password: z.string().max(1000),
  person: name,
  machine: name,
});
export type StudioToJoin = z.infer<typeof StudioToJoin>;

export const RootName = z.string().regex(/^[\w-]{1,40}$/);

export const StudioChange = z.object({
  /** Absolute folders of this machine, by the name that all machines know. */
  roots: z.record(RootName, z.string().min(1).max(4096)).optional(),
  works: z.boolean().optional(),
});
export type StudioChange = z.infer<typeof StudioChange>;

export const BudgetScope = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('person'), name: z.string().max(200) }),
  z.object({ scope: z.literal('project'), id: z.string().max(200) }),
  z.object({ scope: z.literal('night') }),
]);
export type BudgetScope = z.infer<typeof BudgetScope>;

/** Money in millionths of the studio's currency. Null: no limit of that sort. */
export const BudgetLimit = z.object({ takes: z.int().min(0).nullable(), micros: z.int().min(0).nullable() });
export type BudgetLimit = z.infer<typeof BudgetLimit>;

export const DeclaredDead = z.object({ returned: z.int(), unclear: z.int(), adoptable: z.int() });
export type DeclaredDead = z.infer<typeof DeclaredDead>;

const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

const StudioMembers = z.object({
  machines: list(
    z.object({
      name: z.string(),
      person: z.string(),
      isFenced: z.boolean(),
      /** Since its last sign of life, ms. */
      silentMs: z.number(),
      held: z.int(),
      granted: z.int(),
      sent: z.int(),
    }),
  ),
  people: list(z.object({ name: z.string(), weight: z.number(), waiting: z.int(), inFlight: z.int(), done: z.int() })),
  accounts: list(
    z.object({
      name: z.string(),
      address: z.string(),
      inFlight: z.int(),
      ceilings: z.record(z.string(), z.number()),
    }),
  ),
  budgets: list(
    z.object({
      scope: z.enum(['person', 'project', 'night', 'batch']),
      /** Of the person, the id of a project or batch, or the date of the night. */
      name: z.string(),
      title: z.string(),
      limit: BudgetLimit,
      used: z.object({ takes: z.int(), micros: z.number() }),
    }),
  ),
  projects: list(z.object({ id: z.string(), name: z.string(), root: z.string(), path: z.string() })),
});

/** A machine that has been silent for so long is shown as such, ms; the studio hands its unsent takes to others then. */
export const SILENT_MS = 60_000;

/** The studio of this data folder. */
export const StudioView = z.object({
  address: z.string(),
  person: z.string(),
  machine: z.string(),
  roots: z.record(z.string(), z.string()),
  works: z.boolean(),
  /** `refused`: it says no, for the reason in `trouble`. */
  state: z.enum(['connecting', 'connected', 'away', 'halted', 'fenced', 'refused']),
  /** Since when it is so, ms. */
  since: z.number(),
  trouble: z.object({ text: Text, remedy: Text }).nullable(),
  isAdmin: z.boolean(),
  /** As last seen; null before that. */
  members: StudioMembers.nullable(),
});
export type StudioView = z.infer<typeof StudioView>;
