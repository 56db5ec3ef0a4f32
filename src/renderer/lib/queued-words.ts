import type { Gate } from '../../contract/events.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';

interface Queued {
  readonly takes: number;
  /** Name of their batch. */
  readonly batch: string;
  /** The sample project has a service of its own: trouble with the other one does not stop it. */
  readonly isSample: boolean;
}

/** What holds takes back that were queued just now, what matters most first; what only slows them down is left out. */
const obstacles = [
  { reason: 'database', waits: 'window.queuedDatabase', ofService: false },
  { reason: 'paused_by_user', waits: 'window.queuedPaused', ofService: false },
  { reason: 'key_missing', waits: 'window.queuedKeyMissing', ofService: true },
  { reason: 'key_refused', waits: 'window.queuedKeyRejected', ofService: true },
  { reason: 'no_credit', waits: 'window.queuedNoCredit', ofService: true },
  { reason: 'unreachable', waits: 'window.queuedUnreachable', ofService: true },
  { reason: 'breaker', waits: 'window.queuedBreaker', ofService: true },
  { reason: 'database_rest', waits: 'window.queuedDatabaseBusy', ofService: false },
  { reason: 'project_in_use', waits: 'window.queuedProjectInUse', ofService: false },
  { reason: 'disk_low', waits: 'window.queuedDiskLow', ofService: false },
  { reason: 'cap_reached', waits: 'window.queuedCapReached', ofService: false },
  { reason: 'window_closed', waits: 'window.queuedWindowClosed', ofService: false },
] as const satisfies readonly { reason: Gate['reason']; waits: MessageKey; ofService: boolean }[];

/** Says that takes were queued, and what they wait for: only a sent take costs money. */
export function queuedInWords({ takes, batch, isSample }: Queued, gates: readonly Pick<Gate, 'reason'>[]): string {
  const obstacle = obstacles.find(
    ({ reason, ofService }) => !(isSample && ofService) && gates.some((gate) => gate.reason === reason),
  );
  return say(obstacle?.waits ?? 'window.queued', { takes, batch });
}

/** Takes of one batch, perhaps of one model alone. */
interface Takes {
  readonly projectId: string;
  readonly batchId: string;
  readonly model?: string;
}

type Holds = Pick<Gate, 'window' | 'cap' | 'projectId' | 'model'>;

/** Whether the gate holds these takes back: one without a project, batch or model holds back all there are. */
export function isHeldBy(takes: Takes, { window, cap, projectId, model }: Holds): boolean {
  const scope = window?.scope ?? cap?.scope;
  if (scope?.scope === 'batch') return scope.batchId === takes.batchId;
  if (scope?.scope === 'project') return scope.projectId === takes.projectId;
  if (projectId !== undefined) return projectId === takes.projectId;
  return model === undefined || model === takes.model;
}
