import type { Text } from '../../contract/messages/message.ts';
import type { StepReport } from '../machine/job-facts.ts';
import type { Settings } from '../../contract/settings.ts';
import type { AssetStore } from '../db/asset-store.ts';
import type { AssetUseStore } from '../db/asset-use-store.ts';
import type { MediaStore } from '../db/media-store.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { ServiceClients } from '../api/service-clients.ts';
import type { Ports } from '../base/ports.ts';
import type { Trouble } from './troubles.ts';

export interface LibraryParts {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly clients: ServiceClients;
  readonly assets: AssetStore;
  readonly media: MediaStore;
  readonly uploads: UploadStore;
  readonly uses: AssetUseStore;
  /** Aborted when the engine stops: uploads end early and are looked for at the next start. */
  readonly stopping: AbortSignal;
}

/** It could not be done now, through no one's fault: it is tried again at `until` (ms). */
export interface Held {
  readonly type: 'held';
  readonly until: number;
  readonly report: StepReport;
  readonly why: Text;
}

export interface Failed {
  readonly type: 'failed';
  readonly trouble: Trouble;
}
