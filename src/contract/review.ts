import * as z from 'zod';
import { Estimate } from './batch.ts';
import { Failure } from './failure.ts';
import { JobView, Standing } from './job.ts';
import { specNamed } from './kinds/index.ts';
import { Kind } from './kinds/kind.ts';
import { NearTo } from './tool.ts';
import { Hours } from './night-window.ts';
import { Text } from './messages/message.ts';
import { LeftOut } from './project.ts';
import { Spending } from './ledger.ts';
import { type TakeButton, SourceUse, TakeLink, Output, PlannedRequest, Recipe } from './take.ts';
import { Flag, MAX_NOTE, Verdict } from './verdict.ts';

export {
  changedFields,
  GivenVerdict,
  noVerdict,
  stillHolds,
  toTags as tagsOf,
  Verdict,
  VerdictChange,
  type VerdictField,
  withChange,
  withoutChange,
} from './verdict.ts';

/** A take as review shows it. Its media are at `/media/<take id>/<output number>`, thumbnails at `/thumb/…`. */
export const TakeView = JobView.extend({
  outputs: z.array(Output),
  verdict: Verdict,
  /** When the take was saved, ms; null before. */
  savedAt: z.number().nullable(),
});
export type TakeView = z.infer<typeof TakeView>;

/** What takes are put together by, each under a heading: each take is in one group. */
export const Grouping = z.discriminatedUnion('by', [
  /** `verdict`: by flag. `tag`: by all of their tags. */
  z.object({ by: z.enum(['batch', 'shot', 'model', 'verdict', 'tag']) }),
  z.object({ by: z.literal('column'), column: z.string().min(1).max(500) }),
]);
export type Grouping = z.infer<typeof Grouping>;

/** Takes of one group. `name`: their common value; empty for takes without a tag or without a text in the column. */
export const TakeGroup = z.object({ name: z.string(), count: z.int() });
export type TakeGroup = z.infer<typeof TakeGroup>;

export const TakeFilter = z.object({
  projectId: z.string(),
  batchId: z.string().optional(),
  kind: Kind.optional(),
  /** `saved`: takes to look at, those with missing files included. `trashed`: in the trash, or removed from it. */
  standing: z.enum([...Standing.options, 'trashed']).optional(),
  model: z.string().optional(),
  minRating: z.int().min(0).max(5).optional(),
  /** Exactly this one; 0 finds unrated takes. */
  rating: z.int().min(0).max(5).optional(),
  flag: z.enum([...Flag.options, 'none']).optional(),
  /** Saved then or later, ms. */
  since: z.number().min(0).optional(),
  /** See `parseTakeSearch`. */
  text: z.string().max(500).optional(),
  /** The nearest in meaning, nearest first, whatever `sort` says; `MAX_NEAR` at most. */
  near: NearTo.optional(),
  sort: z.enum(['list', 'newest', 'rating', 'shot']).default('list'),
  /** Group by group, each in the order of `sort`. A search by meaning has no groups. */
  group: Grouping.optional(),
});
export type TakeFilter = z.infer<typeof TakeFilter>;

export const FlagCounts = z.object({ pick: z.int(), alternate: z.int(), reject: z.int(), none: z.int() });
export type FlagCounts = z.infer<typeof FlagCounts>;

export const TakePage = z.object({ total: z.int(), takes: z.array(TakeView) });

/** Unsent takes of a project that wait for tonight, the oldest first; `at`: when the first is let go, ms. */
export const TonightTakes = z.object({ takes: z.array(TakeView), total: z.int(), at: z.number().nullable() });
export type TonightTakes = z.infer<typeof TonightTakes>;

export const UsedTag = z.object({ tag: z.string(), takes: z.int() });
export type UsedTag = z.infer<typeof UsedTag>;

/** Tags of a project that are offered at once: those of most takes. */
export const MAX_USED_TAGS = 200;

/** Takes whose files are carried out of the window, or whose paths are copied, at once. */
export const MAX_CARRIED = 500;

/** The outcome of a billable POST, judged by its own answer. */
export const AttemptOutcome = z.enum([
  'under_way',
  'accepted',
  'answered',
  /** Certainly not accepted: never sent, or answered with 429. */
  'not_accepted',
  'refused',
  /** Unknown; it may have been charged. */
  'unclear',
  'adopted',
]);
export type AttemptOutcome = z.infer<typeof AttemptOutcome>;

export const AttemptView = z.object({
  number: z.int().min(1),
  /** When it was written down, right before it was sent, ms. */
  intendedAt: z.number(),
  /** When its answer, or the lack of one, was known, ms; null before that. */
  endedAt: z.number().nullable(),
  outcome: AttemptOutcome,
  origin: z.string(),
  request: PlannedRequest,
  taskId: z.string().optional(),
  requestId: z.string().optional(),
  traceId: z.string().optional(),
  /** Why it was not taken; or why its task failed, where the outcome is `accepted`. */
  failure: Failure.optional(),
});
export type AttemptView = z.infer<typeof AttemptView>;

export const TakeDetails = z.object({
  take: TakeView,
  recipe: Recipe,
  attempts: z.array(AttemptView),
  /** Its cost, by the price table of today; null without one. */
  spent: Spending.nullable(),
  siblings: z.array(TakeView),
  usedIn: z.array(TakeLink),
  /** Absolute paths of its files, for people to copy. */
  paths: z.array(z.string()),
});
export type TakeDetails = z.infer<typeof TakeDetails>;

export const TakeChanges = z.object({
  prompt: z.string().optional(),
  model: z.string().optional(),
  /** By parameter name, as cells of a list; empty takes a value out. */
  cells: z.record(z.string(), z.string()).default({}),
});
export type TakeChanges = z.infer<typeof TakeChanges>;

/**
 * How a take is made from another one. `source`: the file of that take to use, and the column it goes into. A column that
 * names a task takes the one of the take.
 */
export const Derivation = z.object({
  how: SourceUse.exclude(['reference']),
  source: z.object({ parameter: z.string(), output: z.int().min(1) }).optional(),
  /** What asked for it. */
  note: z.string().max(MAX_NOTE).optional(),
});
export type Derivation = z.infer<typeof Derivation>;

/** A take made from another one: its changes, and how it comes from it; the changes decide when absent. */
export const NewTake = z.object({
  takeId: z.string().min(1).max(200),
  changes: TakeChanges.default({ cells: {} }),
  derivation: Derivation.optional(),
  /** On hold until these hours begin, and let go then; absent for a take that is sent next. */
  tonight: Hours.optional(),
});
export type NewTake = z.infer<typeof NewTake>;

/**
 * What making stale takes again would make, and its price: one take of each shot, where no other one has the sources of now.
 * `ids`: the stale takes themselves; the others are `left`.
 */
export const RefreshPlan = Estimate.extend({ ids: z.array(z.string()), left: z.int() });
export type RefreshPlan = z.infer<typeof RefreshPlan>;

/** Takes that are made otherwise in one go, and how often each. */
export const MAX_MORE = 500;
export const MAX_COPIES = 20;

const note = z.string().trim().max(MAX_NOTE);
const takeId = z.string().min(1).max(200);

/** New takes of several takes of one project: finals of picks with other settings, or retakes that a note asks for. */
export const MoreTakes = z.object({
  ids: z.array(takeId).min(1).max(MAX_MORE),
  how: z.enum(['retake', 'final']),
  note: note.default(''),
  changes: TakeChanges.default({ cells: {} }),
  /** Notes and prompts of single takes, by their id, in place of the common ones. */
  own: z.record(takeId, z.object({ note: note.optional(), prompt: z.string().optional() })).default({}),
  count: z.int().min(1).max(MAX_COPIES).default(1),
  tonight: Hours.optional(),
  /** Takes that were made like this before count: only what lacks is made. */
  onlyMissing: z.boolean().default(false),
  /** A person has agreed to the price of so many: more are refused. */
  newTakes: z.int().min(0).optional(),
});
export type MoreTakes = z.infer<typeof MoreTakes>;

/** What they would cost; `left`: of which takes none is made, and why. */
export const MorePlan = Estimate.extend({ left: z.array(Text) });
export type MorePlan = z.infer<typeof MorePlan>;

/** The take that pressing a button of a finished take makes; null for a kind without buttons, or a take without a file. */
export function pressed(
  { id, kind, outputs }: Pick<TakeView, 'id' | 'kind' | 'outputs'>,
  { customId }: TakeButton,
): NewTake | null {
  const press = specNamed(kind)?.press;
  const [file] = outputs;
  if (!press || !file) return null;
  const source = { parameter: press.task, output: file.number };
  return { takeId: id, changes: { cells: press.cells(customId) }, derivation: { how: 'action', source } };
}

/** How far the copying of selects has come, and at last where they are, or why nothing was left there. */
export const ExportProgress = z.discriminatedUnion('type', [
  z.object({ type: z.literal('copied'), files: z.int(), ofFiles: z.int(), bytes: z.int(), ofBytes: z.int() }),
  /** `leftOut`: of a whole project. */
  z.object({ type: z.literal('done'), folder: z.string(), files: z.int(), leftOut: LeftOut.optional() }),
  z.object({ type: z.literal('failed'), message: Text, remedy: Text }),
]);
export type ExportProgress = z.infer<typeof ExportProgress>;

export const ViewFilter = TakeFilter.omit({ projectId: true, near: true, since: true });
export type ViewFilter = z.infer<typeof ViewFilter>;

export const SavedView = z.object({ id: z.string(), projectId: z.string(), name: z.string(), filter: ViewFilter });
export type SavedView = z.infer<typeof SavedView>;

/** In one project. */
export const MAX_VIEWS = 100;
export const MAX_VIEW_NAME = 80;

/** A name as it is kept; null where the text cannot be one. Pure. */
export function toViewName(text: string): string | null {
  // Composing a long text takes its time.
  if (text.length > 4 * MAX_VIEW_NAME) return null;
  const name = text.normalize('NFC').trim().replace(/ +/g, ' ');
  const isName = name !== '' && name.length <= MAX_VIEW_NAME && !/[\p{Cc}\p{Cs}\u2028-\u202E\u2066-\u2069]/u.test(name);
  return isName ? name : null;
}

/** Letters of either case are one name. Pure. */
export const viewNamed = <View extends { readonly name: string }>(
  views: readonly View[],
  name: string,
): View | undefined => views.find((view) => view.name.toLowerCase() === name.toLowerCase());
