import type { Attempt } from '../../contract/job.ts';
import { standingFor } from '../../contract/job.ts';
import type { Gate } from '../../contract/events.ts';
import type { CapChange } from '../../contract/ledger.ts';
import { type Message, messageFor } from '../../contract/messages/message.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import type { PriceFacts } from '../batches/price.ts';
import { DailiesError, refused } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import type { Job, Step } from '../db/job-store.ts';
import type { Stores } from '../db/stores.ts';
import { readRecipe } from '../projects/recipe-file.ts';

export interface PlannedPost {
  readonly attempt: Attempt;
  readonly request: PlannedRequest;
  readonly price: PriceFacts;
}

interface StudioHolds {
  excludes?(step: Step, now: number): { readonly projects?: readonly string[]; readonly until?: number };
  closed?(now: number): readonly Gate[];
}

export type SendAnswer =
  | {
      readonly answer: 'granted';
      /** False once so long has passed that it must not be used any more; asked right before the POST. */
      isFresh(): boolean;
      /** It is not used: nothing was sent. */
      giveBack(): void;
    }
  /** Not now. `until`: when to ask again, ms. `giveBack`: once its recipe says so, it is for any machine. */
  | { readonly answer: 'wait'; readonly until: number; readonly message: Message; giveBack?(): void }
  /** The take is not for this data folder to send, and its job says so already. */
  | { readonly answer: 'refused' };

/**
 * What a person commands. `retry` sends a failed or unclear one again, which may be charged again. `attach`: the service
 * has this task for an unclear one. `go_on`: what it waited for is there. `wait`: it is not, as of a pick that was taken back.
 */
export type TakeCommand =
  | { readonly kind: 'cancel' | 'hold' | 'resume' | 'retry' | 'go_on' | 'wait' }
  | { readonly kind: 'attach'; readonly taskId: string }
  | { readonly kind: 'priority'; readonly priority: number };

/** What an engine asks a studio, and tells it. Without one it is `apart`, which answers at once. */
export interface StudioPorts {
  /**
   * The right to send one request. Asked between the recipe that announces it and its intent, so that the intent is the
   * last thing before the POST. All rules of this engine hold too.
   */
  sendRight(job: Job, post: PlannedPost): SendAnswer | Promise<SendAnswer>;
  /** Whether this machine still has a take, at its epoch. Asked before its recipe and its files are written. */
  isOurs(jobId: string, epoch: number): boolean | Promise<boolean>;
  /** Whether this machine writes what a project has once: batch files, manifests, arrangement, limits. */
  isWriter(projectId: string): boolean;
  /** What waits for the studio; see `WaitReason`. */
  readonly holds: StudioHolds;
  /** What a person wants of a take that another machine has; false where there is no studio to tell. */
  command(jobId: string, command: TakeCommand): boolean;
}

/** Hands the takes of a list to a studio. */
export interface StudioDesk {
  /** Before the list is started: the project becomes one of the studio. `account`: as `projects.open` takes it. Throws RefusedError. */
  begin(folder: string, account?: string): Promise<void>;
  /** Hands over what was started and not sent. Returns how many takes are new in the studio's queue. */
  handOver(batchId: string, cap?: CapChange): Promise<number>;
}

/** Throws RefusedError where no studio is joined. */
export function joinedDesk(desk: StudioDesk | null): StudioDesk {
  if (desk) return desk;
  throw refused('studio_not_joined', 'failure.studioNotJoined', 'remedy.startWorker');
}

const GRANTED: SendAnswer = { answer: 'granted', isFresh: () => true, giveBack: () => undefined };

/**
 * An engine that is in no studio, or has not joined it yet. Nothing of a studio's project is sent from here, since others
 * may send the same; what was sent before is followed and saved.
 */
export function apart({ jobs }: Pick<Stores, 'jobs'>, clock: Clock): StudioPorts {
  const { studio } = jobs;
  return {
    sendRight({ projectId }) {
      if (studio.placeOf(projectId) === null) return GRANTED;
      const message = messageFor('waiting.studioNotJoined');
      return { answer: 'wait', until: clock.now() + NOT_JOINED_MS, message };
    },
    isOurs: () => true,
    isWriter: (projectId) => studio.placeOf(projectId) === null,
    holds: {
      excludes(step) {
        if (step !== 'submit' && step !== 'prepare') return {};
        return { projects: studio.places().map(({ projectId }) => projectId) };
      },
      closed(now) {
        const waiting = studio.places().filter(({ projectId }) => jobs.due.hasUnsent({ scope: 'project', projectId }));
        const message = messageFor('waiting.studioNotJoined');
        return waiting.map(({ projectId }) => ({ reason: 'studio', message, until: now + NOT_JOINED_MS, projectId }));
      },
    },
    command: () => false,
  };
}

const NOT_JOINED_MS = 60_000;

/** Another machine of the studio has the take. Its job here says so already. */
export class TakeElsewhereError extends DailiesError {
  readonly code = 'take_elsewhere';
  readonly remedy = messageFor('remedy.none');

  constructor() {
    super(messageFor('failure.takeElsewhere'));
  }
}

/** Marks a take as one of another machine: nothing of it begins here any more. */
export function leaveTake({ jobs }: Pick<Stores, 'jobs'>, jobId: string, now: number): void {
  const { studio } = jobs;
  jobs.inOneCommit(() => {
    studio.place(jobId, { worker: null, epoch: studio.take(jobId)?.epoch ?? 0, isHere: false });
    jobs.setPaused(jobId, 'elsewhere', now);
  });
}

/**
 * Throws TakeElsewhereError unless this machine may write the files of a take. The studio is asked, and the recipe in the
 * folder: it has the epoch of the machine that wrote it, so it fences off one that cannot reach the studio.
 */
export async function requireOurs(
  stores: Pick<Stores, 'jobs' | 'projects'>,
  ports: Pick<StudioPorts, 'isOurs'>,
  clock: Clock,
  job: Job,
): Promise<void> {
  const take = stores.jobs.studio.take(job.id);
  if (take === null) return;
  if (!take.isHere) {
    // What has ended belongs to everybody: a verdict, for example.
    if (standingFor(job.state.state, null) !== 'unfinished') return;
    throw new TakeElsewhereError();
  }
  const path = stores.projects.get(job.projectId)?.path;
  const inRecipe = path === undefined ? null : await readRecipe(path, job.id);
  const { generation: writtenIn = 0, epoch: written = 0 } = inRecipe?.studio ?? {};
  const { generation } = stores.jobs.studio;
  const isNewerThere = writtenIn > generation || (writtenIn === generation && written > take.epoch);
  if (!isNewerThere && (await ports.isOurs(job.id, take.epoch))) return;
  leaveTake(stores, job.id, clock.now());
  throw new TakeElsewhereError();
}
