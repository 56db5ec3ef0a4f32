import type * as z from 'zod';
import type { AssetRole } from '../../contract/asset.ts';
import type { Json, JsonObject } from '../../contract/json.ts';
import { kindSpecs } from '../../contract/kinds/index.ts';
import type { MediaType } from '../../contract/kinds/spec.ts';
import { type Message, messageFor } from '../../contract/messages/message.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ModelLine } from '../models/index.ts';
import type { ServiceProblem } from '../machine/failures.ts';
import type { PlannedRequest, TakeExtras } from '../../contract/take.ts';

export type ShotDraft = Pick<ShotSpec, 'model' | 'prompt' | 'params' | 'extra'>;

export interface MediaUse {
  readonly column: string;
  readonly media: MediaType;
  /** URL, `Asset://id` or local path, as written. */
  readonly cell: string;
  /** `address`: the request carries an address, so a local file must be uploaded first. `file`: it carries the file. */
  readonly sentAs: 'address' | 'file';
  /** A larger file is not sent, bytes. */
  readonly maxBytes?: number;
  /** What an uploaded file is for: a role in the shot, or a purpose of the service. */
  readonly role: AssetRole | '';
  readonly purpose?: string;
}

export type RuleSettings = Pick<Settings, 'videoRoute' | 'assumed' | 'paths'>;

export interface RuleContext {
  readonly line: ModelLine | null;
  readonly media: readonly MediaUse[];
  readonly settings: RuleSettings;
  /** Aliases that any row of the list gives to a reference. */
  readonly aliases: ReadonlySet<string>;
}

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly column: string;
  readonly problem: Message;
  readonly remedy: Message;
}

/** The service's rules for one kind, over cells that are each valid by themselves. Pure: never looks at the disk. */
export interface KindRules {
  mediaOf(params: ShotSpec['params']): MediaUse[];
  check(shot: ShotDraft, context: RuleContext): Finding[];
  readonly schemas?: Readonly<Record<string, z.ZodType<Json>>>;
  /** Whether a request has video input, which the service bills differently; false when absent. */
  hasVideoInput?(shot: Pick<ShotSpec, 'params'> & Partial<Pick<ShotSpec, 'extra'>>): boolean;
}

export const error = (column: string, problem: Message, remedy: Message): Finding => ({
  ...{ severity: 'error', column, problem, remedy },
});

export const warning = (column: string, problem: Message, remedy: Message): Finding => ({
  ...{ severity: 'warning', column, problem, remedy },
});

export const when = (isSo: boolean, finding: Finding): Finding[] => (isSo ? [finding] : []);

export const errorsIn = (
  { params }: Pick<ShotDraft, 'params'>,
  columns: readonly string[],
  problem: (column: string) => Message,
  remedy: Message,
): Finding[] =>
  columns.filter((column) => params[column] !== undefined).map((column) => error(column, problem(column), remedy));

/** `what`: an operation, or the name of a kind. */
export const needs = (what: string | Message, column: string): Message =>
  messageFor('defect.needsColumn', { what, column });

export const takesNo = (what: string | Message, column: string): Message =>
  messageFor('defect.takesNo', { what, column });

export const promptNotSent = (what: string | Message): Finding =>
  warning('prompt', messageFor('defect.promptNotSent', { what }), messageFor('remedy.none'));

/** A shot cannot be sent while a path of its kind is not set: the reference does not show it. */
export function checkPaths({ kind, params }: Pick<ShotSpec, 'kind' | 'params'>, { paths }: RuleSettings): Finding[] {
  return kindSpecs[kind].paths
    .filter(({ name, neededBy }) => !paths[name] && (neededBy?.(params) ?? true))
    .map(({ name, label: path }) =>
      error('kind', messageFor('defect.pathNotShown', { path }), messageFor('remedy.setPathNamed', { name })),
    );
}

export interface RequestContext {
  readonly settings: Settings;
  /** Absolute folder of the shot list; local paths in cells are relative to it. */
  readonly listFolder: string;
  /** `Asset://id` of each local path (as written in the cell) that has been uploaded and is ready. */
  readonly assets: ReadonlyMap<string, string>;
  /** True once the service said that the optional entry of the kind is not there for this shot. */
  readonly entryIsMissing: boolean;
  /** Of the request to send; absent when one is only shown. */
  readonly attemptId?: string;
}

export type Refusal = ServiceProblem & { readonly httpStatus: number };

export type AnswerPart =
  | { readonly url: string }
  /** `isCut`: a text that reached the limit of the request. */
  | { readonly content: () => Buffer; readonly isCut?: true };

/** How one kind speaks with the service. Pure: the client does the talking. */
export interface KindDriver {
  readonly rules: KindRules;
  /** The exact request of a shot, made by a resource of the service: same shot and context, same bytes. */
  toRequest(shot: ShotSpec, context: RequestContext): PlannedRequest;
  /** An entry of the service that not every account has, and that the kind can do without. */
  readonly optionalEntry?: {
    /** Names the entry and the shots that its absence holds for; kept with the account for a day. */
    fact(shot: ShotSpec): string;
    /** Whether this refusal (nothing was charged) says that the entry is not there, so that the shot is sent to another. */
    isMissing(shot: ShotSpec, context: RequestContext, refused: PlannedRequest, complaint: Refusal): boolean;
  };
  /** What to do about a refusal, where the kind knows more than that the row may be wrong. */
  refusalRemedy?(refused: PlannedRequest, complaint: Refusal): Message | undefined;
  /**
   * Where the service lists the task that a request made, named by the id of its attempt (`taskIdsNaming` finds it there);
   * undefined where it lists none.
   */
  listPath?(request: PlannedRequest, attemptId: string, settings: Settings): string | undefined;
  taskPath?(taskId: string, settings: Settings, shot: Pick<ShotSpec, 'params'>): string;
  /** Facts in the answer about a finished task besides its results; null if none. */
  readExtras?(answer: JsonObject, shot: Pick<ShotSpec, 'params'>): TakeExtras | null;
  /** See `readResultOf`; for a kind whose answers have a form or an order of their own. */
  readResult?(answer: Json, sent: ReadonlySet<string>, shot: Pick<ShotSpec, 'params'>): AnswerPart[];
}

/** A path that is a setting. Throws where it is not set: checking the list has excluded that. */
export function pathIn({ paths }: Settings, name: string): string {
  const path = paths[name];
  if (path) return path;
  throw new Error(`the path paths.${name} is not set`);
}
