import { mapSpan } from '../../contract/job.ts';
import { moneyInWords, priceInWords, spanInWords, countsInWords, paidAgainInWords } from '../../contract/in-words.ts';
import type { Text } from '../../contract/messages/message.ts';
import { t, saySentences, type MessageKey } from '../../contract/messages/words.ts';
import { remedyAction, type RemedyAction, type Cost, type Failure } from '../../contract/failure.ts';
import { AuthenticationError, NoAnswerError, NotFoundError, UnexpectedAnswerError } from '../../engine/api/errors.ts';
import type { DailiesError } from '../../engine/base/errors.ts';
import { commandLine, type GlobalOptions, type Session } from '../session.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { Estimate, OutsideFile, PaidAgain, StartMode } from '../../contract/batch.ts';
import type { Gate, QueueStatus } from '../../contract/events.ts';
import { toShare, type CapState } from '../../contract/ledger.ts';
import type { Counts, JobView } from '../../contract/job.ts';
import type { StartedRun } from '../../contract/run.ts';
import type { Defect } from '../../contract/shot.ts';
import type { Holder } from '../../engine/base/instance-lock.ts';
import type { Reporter, RunTally } from './reporter.ts';
import { padded, plainText, timeOfDay, withSmallLetter, type Style } from './text.ts';

/** At most so many defects are printed: more would hide the first ones. */
const DEFECTS_SHOWN = 50;

/** `row 12, column duration (value "40"): It is too long for this model. Write 4 to 15.` */
export function defectLine(defect: Defect): string {
  const row = defect.row === 0 ? withSmallLetter(t('place.batch')) : t('tools.row', { row: String(defect.row) });
  const cell = defect.column === '' ? row : t('cli.placeColumn', { row, column: plainText(defect.column) });
  const content = plainText(defect.value).slice(0, 80);
  const place = content === '' ? cell : t('cli.placeValue', { place: cell, value: content });
  const value = saySentences(plainText(defect.problem), plainText(defect.remedy));
  return t('common.namedValue', { name: place, value });
}

export function defectLines(defects: readonly Defect[]): string[] {
  const lines = defects.slice(0, DEFECTS_SHOWN).map(defectLine);
  const rest = defects.length - DEFECTS_SHOWN;
  return rest > 0 ? [...lines, t('cli.moreDefects', { count: rest })] : lines;
}

type Mark = 'saved' | 'failed' | 'decide' | 'stopped' | 'again' | 'error' | 'warning';

export const mark = (what: Mark): string => padded(t('cli.mark', { what }), 9);

/** A line that warns, where its first words stand in a column with those of others. */
export const warning = (line: string, { warn }: Style): string => `${warn(mark('warning'))}${line}`;

export function markedDefects(defects: readonly Defect[], style: Style): string[] {
  const { error = [], warning: warnings = [] } = Object.groupBy(defects, ({ severity }) => severity);
  const bad = style.bad(mark('error'));
  return [
    ...defectLines(error).map((line) => `${bad}${line}`),
    ...defectLines(warnings).map((line) => warning(line, style)),
  ];
}

type PlanCounts = Omit<StartedRun, 'project' | 'batch'> & { readonly batch: string };

export function showPlan(reporter: Reporter, { batch, ...counts }: PlanCounts): void {
  const shots = counts.added + counts.changed + counts.unchanged + counts.removed;
  reporter.show([{ type: 'plan', batch, ...counts }], ({ strong }) => [
    t('cli.plan', { ...counts, shots, batch: strong(plainText(batch)) }),
  ]);
}

export function gateLine({ message, until }: Gate): string {
  const reason = plainText(message);
  return until === null ? t('cli.gateStopped', { reason }) : t('cli.gateWaits', { time: timeOfDay(until), reason });
}

export function recoveryLines(report: RecoveryReport, options: GlobalOptions): string[] {
  const { unknownSubmits, recoveredAnswers, interruptedImports } = report;
  const list = commandLine(options, 'jobs', 'list', '--standing', 'unknown');
  return [
    ...(unknownSubmits > 0 ? [t('cli.recoveredSubmits', { count: unknownSubmits, command: list })] : []),
    ...(recoveredAnswers > 0 ? [t('cli.recoveredAnswers', { count: recoveredAnswers })] : []),
    ...interruptedImports.map((batch) => t('cli.importCutOff', { batch: plainText(batch) })),
  ];
}

export function paidAgainLine(paid: PaidAgain): string {
  const sentences = [paidAgainInWords(paid, plainText)];
  if (paid.reason === 'other_batch') sentences.push(modesInWords(paid));
  return saySentences(...sentences);
}

const modesInWords = ({ there, elsewhere }: PaidAgain & { readonly reason: 'other_batch' }): string =>
  t('cli.startModes', {
    ...{ added: startModeInWords(there), leftOut: there.leftOut },
    ...{ newBatch: plainText(elsewhere.name), made: startModeInWords(elsewhere) },
  });

export const MAX_FILES = 20;

export function outsideLines(files: readonly OutsideFile[]): string[] {
  const named = files.slice(0, MAX_FILES).map(({ path, shots: [first = '', ...more] }) => {
    return `  ${t('cli.outsideFile', { file: plainText(path), shot: plainText(first), more: more.length })}`;
  });
  const unnamed = files.length > MAX_FILES ? [`  ${t('common.andMore', { count: files.length - MAX_FILES })}`] : [];
  return [t('cli.outsideFiles', { count: files.length }), ...named, ...unnamed];
}

function startModeInWords({ newTakes, price, unpriced, currency }: StartMode): string {
  if (price === null) return t('start.newTakes', { count: newTakes });
  return t('cli.newTakesPriced', { count: newTakes, price: priceInWords(price, currency), unpriced });
}

export function estimateLines({ lines, currency }: Estimate): string[] {
  return lines.map(({ kind, model, videoInput, takes, seconds, price }) => {
    const parts = [
      t('common.takes', { count: takes }),
      ...(seconds === null ? [] : [t('time.seconds', { seconds })]),
      price === null ? t('common.priceUnknown') : priceInWords(price, currency),
    ];
    const facts = { what: `${kind} ${plainText(model)}`, comesTo: parts.join(', ') };
    return t('cli.estimate', { ...facts, input: videoInput ? 'video' : 'other' });
  });
}

export function capLine(state: CapState, currency: string): string {
  const { scope, name, cap, spent } = state;
  const where = { scope: scope.scope, name: plainText(name), percent: Math.floor(100 * toShare(state)) };
  const money = (amount: number): string => moneyInWords(amount, currency);
  return [
    ...(cap.money === null ? [] : [t('cap.usedMoney', { spent: money(spent.money), most: money(cap.money) })]),
    ...(cap.takes === null ? [] : [t('cap.usedTakes', { spent: spent.takes, most: cap.takes })]),
  ]
    .map((used) => t('cli.capUsed', { ...where, used }))
    .join('\n');
}

export const takeName = (job: JobView) => t('cli.takeName', { shot: plainText(job.shot), take: String(job.take) });

const costWords = {
  nothing: 'common.costNothing',
  maybe: 'common.costMaybe',
  charged: 'common.costCharged',
} as const satisfies Record<Cost, MessageKey>;

export function failureLine(failure: Failure): string {
  return saySentences(plainText(failure.message), t(costWords[failure.cost]));
}

/** `22 saved, 1 failed, 1 needs a decision`: always the number saved, then what else there is. */
export function countsLine(counts: Readonly<Counts>): string {
  const words = countsInWords(counts);
  return counts.saved > 0 ? words : [t('common.countSaved', { count: 0 }), words].filter(Boolean).join(', ');
}

export function underWayLine(status: QueueStatus | null, tally: RunTally, now: number): string[] {
  const { submit, download } = status?.underWay ?? { submit: 0, download: 0 };
  const parts = [
    tally.preparing > 0 && t('cli.underWay', { what: 'preparing', count: tally.preparing }),
    submit > 0 && t('cli.underWay', { what: 'sending', count: submit }),
    tally.atService > 0 && t('cli.underWay', { what: 'generating', count: tally.atService }),
    download > 0 && t('cli.underWay', { what: 'other', count: download }),
    status?.expectedEnd && t('cli.timeLeft', { span: spanInWords(mapSpan(status.expectedEnd, (at) => at - now)) }),
  ].filter((part) => typeof part === 'string');
  return parts.length > 0 ? [parts.join(', ')] : [];
}

/** `process 4711 (dailies serve)`. */
export const holderInWords = ({ pid, command }: Holder): string =>
  t('common.process', { pid: String(pid), command: plainText(command) });

/** Who sends what is left when this command has ended. */
export const whoContinues = ({ line }: Pick<Session, 'line'>, other: Holder | null): string =>
  other === null
    ? t('cli.continueWith', { command: line('resume') })
    : t('cli.otherContinues', { other: holderInWords(other) });

/** `An engine is running: process 4711 (dailies serve), since 22:14.` */
export const engineLine = (holder: Holder | null): string =>
  holder === null
    ? t('cli.noEngine')
    : t('cli.engineRuns', {
        ...{ pid: String(holder.pid), command: plainText(holder.command) },
        time: timeOfDay(holder.startedAt),
      });

/**
 * People see the last digits of a job id: ids of one import begin alike, because they begin with the time. Eight hex
 * digits are enough for any data folder of a sensible size; commands accept any unique beginning or end.
 */
export const shortId = (id: string) => id.slice(-8);

const commands: Readonly<Partial<Record<RemedyAction, `cli.remedy${string}` & MessageKey>>> = {
  set_key: 'cli.remedySetRightKey',
  set_address: 'cli.remedySetAddress',
  set_prices: 'cli.remedySetPrices',
  add_credit: 'cli.remedyAddCredit',
};

/** Remedies that differ on a command line, by error code. */
const typed: Readonly<Record<string, `cli.remedy${string}` & MessageKey>> = {
  data_folder_in_use: 'cli.remedyFolderInUse',
  project_in_use: 'cli.remedyProjectInUse',
  batch_archived: 'cli.remedyUnarchiveBatch',
  project_archived: 'cli.remedyUnarchiveProject',
  internal: 'cli.remedyInternal',
  key_missing: 'cli.remedySetRightKey',
  no_key: 'cli.remedySetRightKey',
  key_not_kept: 'cli.remedyKeyNotKept',
  agent_cap_reached: 'cli.remedyAgentCap',
};

export function remedyHere({ code, remedy }: { readonly code: string; readonly remedy: Text }): string {
  const action = remedyAction({ code, remedy });
  const known = typed[code] ?? (action === null ? undefined : commands[action]);
  return known === undefined ? plainText(remedy) : t(known);
}

export function errorRemedy(error: DailiesError): string {
  const told = 'service' in error ? error.service : undefined;
  if (error instanceof AuthenticationError || told === 'key') return t('cli.remedySetRightKey');
  const remedy = remedyHere(error);
  const isAboutTheWay = [NoAnswerError, UnexpectedAnswerError, NotFoundError].some((type) => error instanceof type);
  return isAboutTheWay || told === 'way' ? `${remedy} ${t('cli.remedyDoctor')}` : remedy;
}

/** What to do about a gate; null when it opens automatically. */
export function gateRemedy({ reason }: Gate): string | null {
  if (reason === 'database') return t('cli.remedyDoctor');
  const action = remedyAction({ code: reason, remedy: '' });
  return action === null ? null : remedyHere({ code: reason, remedy: '' });
}
