import type { AssetStore } from './asset-store.ts';
import type { Ledger } from './ledger.ts';
import type { MediaAddresses } from './media-addresses.ts';
import type { MediaLibrary } from './media/media-library.ts';
import type { ResultPlace } from './fault-rules.ts';
import type { Speed, TaskStore } from './task-store.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** Fields beside the file of an upload: all of the JSON form, or only those shown for forms, others refused or ignored. */
export type UploadForm = 'all' | 'strict' | 'ignoring';

/** What the list of models says: ids alone, or capabilities too, as lists of the model or inside an object. */
export type ModelList = 'ids' | 'flat' | 'nested';

/** What the routes work with. */
export interface ServiceParts {
  clock: DemoClock;
  tasks: TaskStore;
  assets: AssetStore;
  media: MediaLibrary;
  addresses: MediaAddresses;
  ledger: Ledger;
  speed: Speed;
  asyncImages: boolean | { readonly without: readonly string[] };
  rejectUnknownFields: boolean;
  uploadForm: UploadForm;
  modelList: ModelList;
  resultPlace: ResultPlace;
}

/** Time as the demo service sees it. Tests give their own, so that nothing waits for real. */
export interface DemoClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects when the signal aborts first. */
  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void>;
}

export const realClock: DemoClock = {
  now: () => Date.now(),
  sleep: async (ms, options) => {
    await wait(ms, undefined, options);
  },
};
