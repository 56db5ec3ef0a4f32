import type { Gate } from '../../contract/events.ts';
import { counted } from './words.ts';

interface Queued {
  readonly takes: number;
  /** Name of their batch. */
  readonly batch: string;
  /** The sample project has a service of its own: what is amiss with the other one does not hold it back. */
  readonly isSample: boolean;
}

/** What holds takes back that were queued just now, what matters most first; what only slows them down is left out. */
const obstacles: readonly { reason: Gate['reason']; because: string; until: string; ofService: boolean }[] = [
  { reason: 'database', because: 'The database failed', until: 'Dailies is started again', ofService: false },
  { reason: 'paused_by_user', because: 'The queue is paused', until: 'you resume it', ofService: false },
  {
    reason: 'key_missing',
    because: 'The service is not set up',
    until: 'its address and key are in Settings',
    ofService: true,
  },
  { reason: 'key_refused', because: 'The key was refused', until: 'another one is in Settings', ofService: true },
  {
    reason: 'no_credit',
    because: 'The account has no credit left',
    until: 'you add credit and resume',
    ofService: true,
  },
  { reason: 'unreachable', because: 'The service cannot be reached', until: 'it answers', ofService: true },
  { reason: 'breaker', because: 'The service gave no clear answers', until: 'it does', ofService: true },
  { reason: 'database_rest', because: 'The database cannot be written', until: 'it can', ofService: false },
  {
    reason: 'project_in_use',
    because: 'Another Dailies works in a project',
    until: 'that one has ended, in that project',
    ofService: false,
  },
  { reason: 'disk_low', because: 'The disk is nearly full', until: 'there is room', ofService: false },
];

/** Says that takes were queued, and what they wait for: a queued take is not a sent one, and only a sent one costs. */
export function queuedInWords({ takes, batch, isSample }: Queued, gates: readonly Pick<Gate, 'reason'>[]): string {
  const queued = `Queued ${counted(takes, 'take')} in “${batch}”.`;
  const obstacle = obstacles.find(
    ({ reason, ofService }) => !(isSample && ofService) && gates.some((gate) => gate.reason === reason),
  );
  if (!obstacle) return queued;
  return `${queued} ${obstacle.because}: nothing is sent, and nothing costs anything, until ${obstacle.until}.`;
}
