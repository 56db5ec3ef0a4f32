import type { TrashState } from '../../contract/trash.ts';
import { countsInWords, waitInWords } from '../../contract/in-words.ts';
import { countTakes } from '../../contract/batch.ts';
import { t, sayText } from '../../contract/messages/words.ts';
import type { Parameter } from '../../contract/kinds/spec.ts';
import type { Gate } from '../../contract/events.ts';
import type { Cost } from '../../contract/failure.ts';
import type { JobStateName, JobView, PauseReason, Standing, Counts } from '../../contract/job.ts';

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
  needs_assets: { word: t('state.needsMedia'), tone: 'waiting', meaning: t('state.needsMediaMeaning') },
  ready: { word: t('state.waiting'), tone: 'waiting', meaning: t('state.waitingMeaning') },
  submitting: { word: t('state.sending'), tone: 'working', meaning: t('state.sendingMeaning') },
  accepted: { word: t('state.generating'), tone: 'working', meaning: t('state.generatingMeaning') },
  polling: { word: t('state.generating'), tone: 'working', meaning: t('state.generatingMeaning') },
  downloading: { word: t('state.downloading'), tone: 'working', meaning: t('state.downloadingMeaning') },
  saved: { word: t('state.saved'), tone: 'good', meaning: t('state.savedMeaning') },
  submit_unknown: { word: t('state.needsDecision'), tone: 'unsure', meaning: t('state.needsDecisionMeaning') },
  rejected: { word: t('state.rejected'), tone: 'bad', meaning: t('state.rejectedMeaning') },
  remote_failed: { word: t('state.failedAtService'), tone: 'bad', meaning: t('state.failedAtServiceMeaning') },
  remote_cancelled: {
    word: t('state.cancelledAtService'),
    tone: 'bad',
    meaning: t('state.cancelledAtServiceMeaning'),
  },
  download_blocked: { word: t('state.downloadBlocked'), tone: 'bad', meaning: t('state.downloadBlockedMeaning') },
  result_lost: { word: t('state.lost'), tone: 'bad', meaning: t('state.lostMeaning') },
  cancelled: { word: t('state.cancelled'), tone: 'off', meaning: t('state.cancelledMeaning') },
};

const isState = (name: string): name is JobStateName => Object.hasOwn(states, name);

export function stateWords(state: string, paused: PauseReason | null = null, wait?: JobView['wait']): StateWords {
  const words: StateWords = isState(state) ? states[state] : { word: state, tone: 'waiting', meaning: '' };
  const known = wait ? { ...words, word: t('state.waitsForYou'), meaning: t('state.waitsForYouMeaning') } : words;
  if (
    paused === null ||
    paused === 'elsewhere' ||
    known.tone === 'good' ||
    known.tone === 'bad' ||
    known.tone === 'off'
  )
    return known;
  return pauses[paused];
}

/** Why a take that is not sent waits, where it waits for a person, another shot or a frame; empty otherwise. */
export const waitWords = (job: Pick<JobView, 'wait' | 'waitsFor' | 'needsFrame'>): string =>
  waitInWords(job) || (job.needsFrame === undefined ? '' : t('queue.waitingForFrame', { cell: job.needsFrame }));

const pauses: Readonly<Record<Exclude<PauseReason, 'elsewhere'>, StateWords>> = {
  user: { word: t('state.onHold'), tone: 'off', meaning: t('state.onHoldMeaning') },
  key_refused: { word: t('gate.keyRejected'), tone: 'bad', meaning: t('state.keyRejectedMeaning') },
  other_key: { word: t('state.otherAccount'), tone: 'off', meaning: t('state.otherAccountMeaning') },
  deadline: { word: t('state.overdue'), tone: 'unsure', meaning: t('state.overdueMeaning') },
  internal_error: { word: t('state.stopped'), tone: 'bad', meaning: t('state.stoppedMeaning') },
};

export const standings: readonly Standing[] = ['unknown', 'failed', 'unfinished', 'saved', 'cancelled'];

export const assetStatusWords: Readonly<Record<Standing, MarkedWord>> = {
  saved: { word: t('state.saved'), tone: 'good' },
  failed: { word: t('state.failed'), tone: 'bad' },
  unknown: { word: t('state.needsDecision'), tone: 'unsure' },
  cancelled: { word: t('state.cancelled'), tone: 'off' },
  unfinished: { word: t('state.unfinished'), tone: 'waiting' },
};

export const costWords: Readonly<Record<Cost, string>> = {
  nothing: t('common.costNothing'),
  maybe: t('common.costMaybe'),
  charged: t('common.costCharged'),
};

export const gateWords: Readonly<Record<Gate['reason'], MarkedWord>> = {
  throttled: { word: t('gate.throttled'), tone: 'waiting' },
  unreachable: { word: t('gate.unreachable'), tone: 'unsure' },
  breaker: { word: t('gate.breaker'), tone: 'unsure' },
  disk_low: { word: t('gate.diskLow'), tone: 'bad' },
  cap_reached: { word: t('gate.capReached'), tone: 'unsure' },
  window_closed: { word: t('gate.windowClosed'), tone: 'waiting' },
  model_failing: { word: t('gate.modelFailing'), tone: 'unsure' },
  project_in_use: { word: t('gate.projectInUse'), tone: 'unsure' },
  key_refused: { word: t('gate.keyRejected'), tone: 'bad' },
  key_missing: { word: t('gate.keyMissing'), tone: 'unsure' },
  no_credit: { word: t('gate.noCredit'), tone: 'bad' },
  database: { word: t('gate.database'), tone: 'bad' },
  database_rest: { word: t('gate.databaseBusy'), tone: 'unsure' },
  studio: { word: t('gate.studio'), tone: 'unsure' },
  paused_by_user: { word: t('gate.paused'), tone: 'off' },
};

export function helpInWords(parameter: Parameter): string {
  const help = sayText(parameter.help);
  const limits = limitsInWords(parameter);
  return limits === '' ? help : t('list.helpWithLimits', { help, limits });
}

/** Range and unit of a number: `1 to 600 s, or -1`. */
function limitsInWords(parameter: Parameter): string {
  if (parameter.type !== 'integer' && parameter.type !== 'number') return '';
  const { min, max, unit, special } = parameter;
  const measure = unit === undefined ? '' : t('common.unitSeconds');
  if (min === undefined || max === undefined) return measure;
  const limits = { min: String(min), max: String(max), unit: measure === '' ? '' : ` ${measure}` };
  return special === undefined
    ? t('common.range', limits)
    : t('common.rangeOr', { ...limits, special: special.join(', ') });
}

/** `12 / 24 takes, 1 failed`: the progress. Failed takes are settled, but people would not call them done. */
export function progressInWords(counts: Counts): string {
  const total = countTakes(counts);
  const done = total - counts.unfinished - counts.unknown;
  return t('window.progress', { done, total, failed: counts.failed });
}

export function idleHeading(counts: Counts): string {
  const { unknown } = counts;
  if (unknown > 0) return t('common.countNeedDecision', { count: unknown });
  return countTakes(counts) === 0 ? t('status.empty') : t('window.finished');
}

/** The same in one line, with how the takes ended where nothing needs anybody. */
export function idleWords(counts: Counts): string {
  const isFinished = counts.unknown === 0 && countTakes(counts) > 0;
  return isFinished ? t('window.finishedWith', { counts: countsInWords(counts) }) : idleHeading(counts);
}

export const trashWords = (state: TrashState): string =>
  t(state === 'trashed' ? 'trash.inTrash' : 'trash.removedFromTrash');
