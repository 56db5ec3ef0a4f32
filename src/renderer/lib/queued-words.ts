import type { Gate } from '../../contract/events.ts';
import { t, type MessageKey } from '../../contract/messages/words.ts';
import type { WindowState } from '../../contract/night-window.ts';
import { momentInWords } from '../../contract/in-words.ts';

interface Obstacles {
  readonly gates: readonly Pick<Gate, 'reason' | 'cap'>[];
  readonly window: WindowState | undefined;
  /** The sample project has a free service of its own: trouble with the other one, and what that costs, do not stop it. */
  readonly isSample: boolean;
}

/** What holds takes back that were queued just now, what matters most first; what only slows them down is left out. */
const obstacles = [
  { reason: 'database', why: 'window.unsentDatabase', ofService: false },
  { reason: 'paused_by_user', why: 'window.unsentPaused', ofService: false },
  { reason: 'key_missing', why: 'window.unsentKeyMissing', ofService: true },
  { reason: 'key_refused', why: 'window.unsentKeyRejected', ofService: true },
  { reason: 'no_credit', why: 'window.unsentNoCredit', ofService: true },
  { reason: 'unreachable', why: 'window.unsentUnreachable', ofService: true },
  { reason: 'breaker', why: 'window.unsentBreaker', ofService: true },
  { reason: 'database_rest', why: 'window.unsentDatabaseBusy', ofService: false },
  { reason: 'project_in_use', why: 'window.unsentProjectInUse', ofService: false },
  { reason: 'disk_low', why: 'window.unsentDiskLow', ofService: false },
  { reason: 'cap_reached', why: 'window.unsentCapReached', ofService: false },
] as const satisfies readonly { reason: Gate['reason']; why: MessageKey; ofService: boolean }[];

/** Why takes that were queued just now are not sent, and until when; empty where nothing holds them back. Pure. */
export function unsentInWords({ gates, window, isSample }: Obstacles): string {
  const obstacle = obstacles.find(({ reason, ofService }) =>
    gates.some((gate) => gate.reason === reason && !(isSample && (ofService || gate.cap?.scope.scope === 'night'))),
  );
  if (obstacle) return t(obstacle.why);
  if (window?.isOpen !== false || window.changesAt === null) return '';
  return t('window.unsentWindowClosed', { time: momentInWords(window.changesAt, window.window.timeZone) });
}

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
