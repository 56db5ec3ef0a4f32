import type { DemoClock, Speed, TaskStore } from './task-store.ts';
import type { AssetStore } from './asset-store.ts';
import type { Ledger } from './ledger.ts';
import type { MediaAddresses } from './media-addresses.ts';
import type { MediaLibrary } from './media/media-library.ts';

/** Fields beside the file of an upload: all of the JSON form, or only those shown for forms, others refused or ignored. */
type UploadForm = 'all' | 'strict' | 'ignoring';

export type ModelList = 'ids' | 'nested';

interface ServiceLimits {
  readonly places?: (model: string) => number;
  /** Least time between two tasks, ms. */
  readonly taskEveryMs?: number;
  readonly retryAfterSeconds: number;
}

export interface ServiceChoices {
  /** Whether the key's group may use asynchronous images: for all models, for none, or for all but these. */
  asyncImages: boolean | { readonly without: readonly string[] };
  rejectUnknownFields: boolean;
  uploadForm: UploadForm;
  modelList: ModelList;
  limits: ServiceLimits | null;
}

export interface ServiceParts extends ServiceChoices {
  clock: DemoClock;
  tasks: TaskStore;
  assets: AssetStore;
  media: MediaLibrary;
  addresses: MediaAddresses;
  ledger: Ledger;
  speed: Speed;
}
