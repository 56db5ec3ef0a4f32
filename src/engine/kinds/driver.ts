import type { JsonObject } from '../../contract/json.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { Settings } from '../../contract/settings.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { ServiceComplaint } from '../api/outcomes.ts';

/** What a request depends on besides its shot. */
export interface RequestContext {
  readonly settings: Settings;
  /** Absolute folder of the shot list; local paths in cells are relative to it. */
  readonly listFolder: string;
  /** `Asset://id` of each local path (as written in the cell) that has been uploaded and is ready. */
  readonly assets: ReadonlyMap<string, string>;
  /** False once the asynchronous image entry said that it is not there for the shot's model. */
  readonly asyncImages: boolean;
}

/** What the service said when it definitely refused a request. */
export type Refusal = ServiceComplaint & { readonly httpStatus: number };

/** How one kind speaks with the service. Pure: the client does the talking. */
export interface KindDriver {
  readonly kind: Kind;
  /** The exact request of a shot. The same shot and context give the same request, byte for byte. */
  toRequest(shot: ShotSpec, context: RequestContext): PlannedRequest;
  /**
   * Another entry for the same wish after the service definitely refused this one (nothing was charged) because the entry
   * is not there, or null. Only images have one: the synchronous entry, for accounts without asynchronous access.
   */
  fallback(shot: ShotSpec, context: RequestContext, refused: PlannedRequest, complaint: Refusal): PlannedRequest | null;
  /** What to do about a refusal, where the kind knows more than that the row may be wrong. */
  refusalRemedy?(refused: PlannedRequest, complaint: Refusal): string | undefined;
  /** Path of the task query, `{task_id}` filled in and escaped. */
  taskPath(taskId: string, settings: Settings): string;
  /**
   * Result URLs of a finished task, in the order of the reference ("Videos", rule 5),
   * complete with their signed query, without repeats. Empty when there is none.
   */
  readResult(answer: JsonObject): string[];
}
