import type { ServiceProblem } from '../machine/failures.ts';
import type { Json, JsonObject } from '../../contract/json.ts';
import type { Message } from '../../contract/messages/message.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { TakeExtras } from '../../contract/take-extras.ts';
import type { KindRules } from './rules.ts';

/** Everything but the shot that a request depends on. */
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

/** The service's words when it definitely refused a request. */
export type Refusal = ServiceProblem & { readonly httpStatus: number };

/** One result of an answer: an address to fetch it from, or its content. */
export type AnswerPart =
  | { readonly url: string }
  /** `isCut`: a text that reached the limit of the request. */
  | { readonly content: () => Buffer; readonly isCut?: true };

/** How one kind speaks with the service. Pure: the client does the talking. */
export interface KindDriver {
  readonly rules: KindRules;
  /**
   * The exact request of a shot, made by a resource of the service. The same shot and context give the same request,
   * byte for byte.
   */
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
  /** See `taskPathOf`. */
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
