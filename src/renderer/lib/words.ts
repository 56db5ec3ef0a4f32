import type { TrashState } from '../../contract/trash.ts';
import { countsInWords } from '../../contract/in-words.ts';
import { takesOf } from '../../contract/batch.ts';
import { say, sayText } from '../../contract/messages/words.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import type { Gate } from '../../contract/events.ts';
import type { Cost } from '../../contract/failure.ts';
import type { JobStateName, PauseReason, Standing, Counts } from '../../contract/job.ts';

/** The tone of a mark: never by colour alone, each tone has a shape of its own. */
export type Tone = 'waiting' | 'working' | 'good' | 'bad' | 'unsure' | 'off';

export interface MarkedWord {
  readonly word: string;
  readonly tone: Tone;
}

interface StateWords extends MarkedWord {
  readonly meaning: string;
}

const states: Readonly<Record<JobStateName, StateWords>> = {
  needs_assets: { word: say('state.needsMedia'), tone: 'waiting', meaning: say('state.needsMediaMeaning') },
  ready: { word: say('state.waiting'), tone: 'waiting', meaning: say('state.waitingMeaning') },
  submitting: { word: say('state.sending'), tone: 'working', meaning: say('state.sendingMeaning') },
  accepted: { word: say('state.generating'), tone: 'working', meaning: say('state.acceptedMeaning') },
  polling: { word: say('state.generating'), tone: 'working', meaning: say('state.generatingMeaning') },
  downloading: { word: say('state.downloading'), tone: 'working', meaning: say('state.downloadingMeaning') },
  saved: { word: say('state.saved'), tone: 'good', meaning: say('state.savedMeaning') },
  submit_unknown: { word: say('state.needsDecision'), tone: 'unsure', meaning: say('state.needsDecisionMeaning') },
  rejected: { word: say('state.rejected'), tone: 'bad', meaning: say('state.rejectedMeaning') },
  remote_failed: { word: say('state.failedAtService'), tone: 'bad', meaning: say('state.failedAtServiceMeaning') },
  remote_cancelled: {
    word: say('state.cancelledAtService'),
    tone: 'bad',
    meaning: say('state.cancelledAtServiceMeaning'),
  },
  download_blocked: { word: say('state.downloadBlocked'), tone: 'bad', meaning: say('state.downloadBlockedMeaning') },
  result_lost: { word: say('state.lost'), tone: 'bad', meaning: say('state.lostMeaning') },
  cancelled: { word: say('state.cancelled'), tone: 'off', meaning: say('state.cancelledMeaning') },
};

const isState = (name: string): name is JobStateName => Object.hasOwn(states, name);

export function stateWords(state: string, paused: PauseReason | null = null): StateWords {
  const known: StateWords = isState(state) ? states[state] : { word: state, tone: 'waiting', meaning: '' };
  if (paused === null || known.tone === 'good' || known.tone === 'bad' || known.tone === 'off') return known;
  const held = pauses[paused];
  return { word: held.word, tone: held.tone, meaning: held.meaning };
}

const pauses: Readonly<Record<PauseReason, StateWords>> = {
  user: { word: say('state.onHold'), tone: 'off', meaning: say('state.onHoldMeaning') },
  key_refused: { word: say('state.keyRejected'), tone: 'bad', meaning: say('state.keyRejectedMeaning') },
  other_key: { word: say('state.otherAccount'), tone: 'off', meaning: say('state.otherAccountMeaning') },
  deadline: { word: say('state.overdue'), tone: 'unsure', meaning: say('state.overdueMeaning') },
  internal_error: { word: say('state.stopped'), tone: 'bad', meaning: say('state.stoppedMeaning') },
};

export const standings: readonly Standing[] = ['unknown', 'failed', 'unfinished', 'saved', 'cancelled'];

export const assetStatusWords: Readonly<Record<Standing, MarkedWord>> = {
  saved: { word: say('state.saved'), tone: 'good' },
  failed: { word: say('state.failed'), tone: 'bad' },
  unknown: { word: say('state.needsDecision'), tone: 'unsure' },
  cancelled: { word: say('state.cancelled'), tone: 'off' },
  unfinished: { word: say('state.unfinished'), tone: 'waiting' },
};

export const costWords: Readonly<Record<Cost, string>> = {
  nothing: say('common.costNothing'),
  maybe: say('common.costMaybe'),
  charged: say('common.costCharged'),
};

export const gateWords: Readonly<Record<Gate['reason'], MarkedWord>> = {
  throttled: { word: say('gate.throttled'), tone: 'waiting' },
  unreachable: { word: say('gate.unreachable'), tone: 'unsure' },
  breaker: { word: say('gate.breaker'), tone: 'unsure' },
  disk_low: { word: say('gate.diskLow'), tone: 'bad' },
  cap_reached: { word: say('gate.capReached'), tone: 'unsure' },
  window_closed: { word: say('gate.windowClosed'), tone: 'waiting' },
  model_failing: { word: say('gate.modelFailing'), tone: 'unsure' },
  project_in_use: { word: say('gate.projectInUse'), tone: 'unsure' },
  key_refused: { word: say('gate.keyRejected'), tone: 'bad' },
  key_missing: { word: say('gate.keyMissing'), tone: 'unsure' },
  no_credit: { word: say('gate.noCredit'), tone: 'bad' },
  database: { word: say('gate.database'), tone: 'bad' },
  database_rest: { word: say('gate.databaseBusy'), tone: 'unsure' },
  paused_by_user: { word: say('gate.paused'), tone: 'off' },
};

export function helpInWords(parameter: Parameter): string {
  const help = sayText(parameter.help);
  const limits = limitsInWords(parameter);
  return limits === '' ? help : say('list.helpWithLimits', { help, limits });
}

/** Range and unit of a number: `1 to 600 s, or -1`. */
function limitsInWords(parameter: Parameter): string {
  if (parameter.type !== 'integer' && parameter.type !== 'number') return '';
  const { min, max, unit, special } = parameter;
  const measure = unit === undefined ? '' : say('common.unitSeconds');
  if (min === undefined || max === undefined) return measure;
  const limits = { min: String(min), max: String(max), unit: measure === '' ? '' : ` ${measure}` };
  return special === undefined
    ? say('common.range', limits)
    : say('common.rangeOr', { ...limits, special: special.join(', ') });
}

/** `12 / 24 takes, 1 failed`: the progress. Failed takes are settled, but people would not call them done. */
export function progressInWords(counts: Counts): string {
  const total = takesOf(counts);
  const done = total - counts.unfinished - counts.unknown;
  return counts.failed === 0
    ? say('window.progress', { done, total })
    : say('window.progressFailed', { done, total, failed: counts.failed });
}

/** Heading of a queue in which nothing runs: what needs the person, else its state. */
export function idleHeading(counts: Counts): string {
  const { unknown } = counts;
  if (unknown > 0) return say('common.countNeedDecision', { count: unknown });
  return takesOf(counts) === 0 ? say('status.empty') : say('window.finished');
}

/** The same in one line, with how the takes ended where nothing needs anybody. */
export function idleWords(counts: Counts): string {
  const isFinished = counts.unknown === 0 && takesOf(counts) > 0;
  return isFinished ? say('window.finishedWith', { counts: countsInWords(counts) }) : idleHeading(counts);
}

export const trashWords = (state: TrashState): string =>
  say(state === 'trashed' ? 'trash.inTrash' : 'trash.removedFromTrash');
