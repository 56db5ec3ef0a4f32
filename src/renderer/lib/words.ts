import { countsInWords, takesOf } from '../../contract/counts.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import type { Gate } from '../../contract/events.ts';
import type { Cost } from '../../contract/failure.ts';
import type { JobStateName, PauseReason, Standing, Counts } from '../../contract/job.ts';

/** How something stands, for its mark: never told by colour alone, each tone has a shape of its own. */
export type Tone = 'waiting' | 'working' | 'good' | 'bad' | 'unsure' | 'off';

interface StateWords {
  /** One or two words for a cell. */
  readonly word: string;
  readonly tone: Tone;
  /** One sentence for a tooltip. */
  readonly meaning: string;
}

const states: Readonly<Record<JobStateName, StateWords>> = {
  needs_assets: {
    word: 'needs media',
    tone: 'waiting',
    meaning: 'Its reference media have to be ready at the service first; nothing has been sent.',
  },
  ready: { word: 'waiting', tone: 'waiting', meaning: 'Waits for its turn; nothing has been sent.' },
  submitting: { word: 'sending', tone: 'working', meaning: 'Is being sent to the service.' },
  accepted: { word: 'generating', tone: 'working', meaning: 'The service has accepted it.' },
  polling: { word: 'generating', tone: 'working', meaning: 'The service is working on it.' },
  downloading: {
    word: 'fetching',
    tone: 'working',
    meaning: 'The service has finished; its files are fetched and checked.',
  },
  saved: { word: 'saved', tone: 'good', meaning: 'Its files lie in the project folder.' },
  submit_unknown: {
    word: 'may have been charged',
    tone: 'unsure',
    meaning: 'It was sent, but the service’s answer never came. You decide what happens.',
  },
  rejected: { word: 'refused', tone: 'bad', meaning: 'It was refused before any work was done. Nothing was charged.' },
  remote_failed: { word: 'failed at the service', tone: 'bad', meaning: 'The service accepted it and failed.' },
  remote_cancelled: { word: 'cancelled at the service', tone: 'bad', meaning: 'The service cancelled it.' },
  download_blocked: {
    word: 'cannot be fetched',
    tone: 'bad',
    meaning: 'The result exists but cannot be fetched as things stand. Fetching again is free.',
  },
  result_lost: {
    word: 'lost',
    tone: 'bad',
    meaning: 'It was written off, its result is gone at the service, or its file is gone from the project folder.',
  },
  cancelled: {
    word: 'cancelled',
    tone: 'off',
    meaning: 'You cancelled it. A task that was already accepted goes on at the service.',
  },
};

const isState = (name: string): name is JobStateName => Object.hasOwn(states, name);

/** Words for the state of a job; a name this window does not know yet stands for itself. */
export function stateWords(state: string, paused: PauseReason | null = null): StateWords {
  const known: StateWords = isState(state) ? states[state] : { word: state, tone: 'waiting', meaning: '' };
  if (paused === null || known.tone === 'good' || known.tone === 'bad' || known.tone === 'off') return known;
  const held = pauses[paused];
  return { word: held.word, tone: held.tone, meaning: held.meaning };
}

const pauses: Readonly<Record<PauseReason, StateWords>> = {
  user: { word: 'held', tone: 'off', meaning: 'You hold it back.' },
  key_refused: {
    word: 'key refused',
    tone: 'bad',
    meaning: 'The service refused the key. Set another one in Settings.',
  },
  other_key: {
    word: 'other account',
    tone: 'off',
    meaning: 'It was sent with another address or key. Put that one back to follow it.',
  },
  deadline: {
    word: 'overdue',
    tone: 'unsure',
    meaning: 'The service has not finished it within the time allowed. You decide whether to go on waiting.',
  },
  internal_error: {
    word: 'stopped',
    tone: 'bad',
    meaning: 'A step failed in a way it should not. It is tried again at the next start.',
  },
};

/** The standings in the order in which a person wants to hear of them. */
export const standings: readonly Standing[] = ['unknown', 'failed', 'unfinished', 'saved', 'cancelled'];

/** `word` for one take or a heading, `afterNumber` for a count: "2 to decide". */
export const assetStatusWords: Readonly<
  Record<Standing, { readonly word: string; readonly afterNumber: string; readonly tone: Tone }>
> = {
  saved: { word: 'saved', afterNumber: 'saved', tone: 'good' },
  failed: { word: 'failed', afterNumber: 'failed', tone: 'bad' },
  unknown: { word: 'needs a decision', afterNumber: 'to decide', tone: 'unsure' },
  cancelled: { word: 'cancelled', afterNumber: 'cancelled', tone: 'off' },
  unfinished: { word: 'unfinished', afterNumber: 'unfinished', tone: 'waiting' },
};

export const costWords: Readonly<Record<Cost, string>> = {
  nothing: 'Nothing was charged.',
  maybe: 'It may have been charged.',
  charged: 'It was charged.',
};

/** Heading of what holds the queue back; the gate's own message follows it. */
export const gateWords: Readonly<Record<Gate['reason'], { readonly word: string; readonly tone: Tone }>> = {
  throttled: { word: 'Slowed down', tone: 'waiting' },
  unreachable: { word: 'No connection', tone: 'unsure' },
  breaker: { word: 'Sending paused', tone: 'unsure' },
  disk_low: { word: 'Disk nearly full', tone: 'bad' },
  project_in_use: { word: 'Project in use', tone: 'unsure' },
  key_refused: { word: 'Key refused', tone: 'bad' },
  key_missing: { word: 'Not set up', tone: 'unsure' },
  no_credit: { word: 'No credit', tone: 'bad' },
  database: { word: 'Database failed', tone: 'bad' },
  database_rest: { word: 'Database busy', tone: 'unsure' },
  paused_by_user: { word: 'Paused', tone: 'off' },
};

/** `1 take`, `3 takes`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

/** Range and unit of a number, for the line that explains a cell: `1 to 600 s, or -1`. */
export function limitsInWords(parameter: Parameter): string {
  if (parameter.type !== 'integer' && parameter.type !== 'number') return '';
  const { min, max, unit, special } = parameter;
  if (min === undefined || max === undefined) return unit ?? '';
  const range = `${min} to ${max}${unit === undefined ? '' : ` ${unit}`}`;
  return special === undefined ? range : `${range}, or ${special.join(', ')}`;
}

/** `12 / 24 takes, 1 failed`: how far it has got. What failed is settled, but nobody would call it done. */
export function progressInWords(counts: Counts): string {
  const total = takesOf(counts);
  const progress = `${(total - counts.unfinished).toLocaleString('en')} / ${counted(total, 'take')}`;
  return counts.failed === 0 ? progress : `${progress}, ${counts.failed.toLocaleString('en')} failed`;
}

/** A queue in which nothing is under way in a few words: what needs the person, else how it stands. */
export function idleHeading(counts: Counts): string {
  const { unknown } = counts;
  if (unknown > 0) return `${unknown.toLocaleString('en')} ${unknown === 1 ? 'needs' : 'need'} a decision`;
  return takesOf(counts) === 0 ? 'Nothing in the queue' : 'All settled';
}

/** The same in one line, with how the takes ended where nothing needs anybody. */
export function idleWords(counts: Counts): string {
  const heading = idleHeading(counts);
  const isSettled = counts.unknown === 0 && takesOf(counts) > 0;
  return isSettled ? `${heading}: ${countsInWords(counts)}` : heading;
}
