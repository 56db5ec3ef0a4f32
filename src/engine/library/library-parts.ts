import type { Settings } from '../../contract/settings.ts';
import type { AssetStore } from '../db/asset-store.ts';
import type { AssetUseStore } from '../db/asset-use-store.ts';
import type { MediaStore } from '../db/media-store.ts';
import type { Account, RequestClass } from '../db/service-store.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { Pacing } from '../jobs/pacing.ts';
import type { ServiceClients } from '../jobs/service-clients.ts';
import type { StepReport } from '../jobs/step-context.ts';
import type { Ports } from '../ports.ts';
import type { Trouble } from './words.ts';

/** Everything the library works with. */
export interface LibraryParts {
  readonly ports: Ports;
  readonly settings: Settings;
  readonly clients: ServiceClients;
  readonly pacing: Pacing;
  readonly assets: AssetStore;
  readonly media: MediaStore;
  readonly uploads: UploadStore;
  readonly uses: AssetUseStore;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
  /** Aborted when the engine stops: uploads end early and are looked for at the next start. */
  readonly stopping: AbortSignal;
}

/** It could not be done just now, and nobody is to blame: it is tried again at `until` (ms). */
export interface Held {
  readonly type: 'held';
  readonly until: number;
  readonly report: StepReport;
  /** Why, in one sentence. */
  readonly why: string;
}

/** It cannot be done as things stand: a person has to change something. */
export interface Failed {
  readonly type: 'failed';
  readonly trouble: Trouble;
}

/** Longest wait for a turn inside one step, ms; a longer one is written down, and the queue comes back. */
const SHORT_WAIT_MS = 5000;

/** Waits until one more request of this class may go, when that is soon; else says when to come back. */
export async function takeTurn(
  { pacing, ports: { clock }, stopping }: Pick<LibraryParts, 'pacing' | 'ports' | 'stopping'>,
  requests: RequestClass,
  account: Account,
): Promise<{ readonly ok: true } | { readonly ok: false; readonly at: number }> {
  for (;;) {
    const turn = pacing.take(requests, account, clock.now());
    if (turn.ok || turn.at - clock.now() > SHORT_WAIT_MS) return turn;
    await clock.sleep(turn.at - clock.now(), { signal: stopping });
  }
}

/** Waits until one more request of this class may go, however long that is. Rejects when stopped. */
export async function waitForTurn(
  { pacing, ports: { clock } }: Pick<LibraryParts, 'pacing' | 'ports'>,
  requests: RequestClass,
  account: Account,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const turn = pacing.take(requests, account, clock.now());
    if (turn.ok) return;
    await clock.sleep(turn.at - clock.now(), { signal });
  }
}
