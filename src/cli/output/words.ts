import { commandLine, type GlobalOptions } from '../session.ts';
import type { PaidAgain } from './reporter.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { Estimate, MadeAlready, OutsideFile, StartMode } from '../../contract/batch.ts';
import { countsInWords } from '../../contract/counts-in-words.ts';
import type { Gate, QueueStatus } from '../../contract/events.ts';
import type { Cost, Failure } from '../../contract/failure.ts';
import type { Counts, JobView } from '../../contract/job.ts';
import type { Defect } from '../../contract/shot.ts';
import type { MovedShots } from '../../engine/batches/made-already.ts';
import type { Tally } from '../tally.ts';
import { counted, plainText, timeOfDay } from './text.ts';

/** How many defects a person is shown; more only hide the first. */
const DEFECTS_SHOWN = 50;

/** `row 12, column duration (value "40"): too long for this model; use 4 to 15.` */
export function defectLine(defect: Defect): string {
  const row = defect.row === 0 ? 'list' : `row ${defect.row}`;
  const column = defect.column === '' ? '' : `, column ${plainText(defect.column)}`;
  const value = defect.value === '' ? '' : ` (value "${plainText(defect.value).slice(0, 80)}")`;
  return `${row}${column}${value}: ${unstopped(defect.problem)}; ${inSentence(plainText(defect.remedy))}`;
}

/** The first defects as lines, and a count of the others. */
export function defectLines(defects: readonly Defect[]): string[] {
  const lines = defects.slice(0, DEFECTS_SHOWN).map(defectLine);
  const rest = defects.length - DEFECTS_SHOWN;
  return rest > 0 ? [...lines, `… and ${counted(rest, 'more', 'more')}; correct these first.`] : lines;
}

/** What a gate says, with the time it ends. */
export function gateLine({ message, until }: Gate): string {
  const text = unstopped(message);
  return until === null ? `stopped: ${text}` : `waiting until ${timeOfDay(until)}: ${text}`;
}

/** What an engine found and put right at its start, and what that asks of a person. */
export function recoveryLines(report: RecoveryReport, options: GlobalOptions): string[] {
  const { unknownSubmits, recoveredAnswers, interruptedImports } = report;
  const list = commandLine(options, 'jobs', 'list', '--standing', 'unknown');
  return [
    ...(unknownSubmits > 0
      ? [
          `${counted(unknownSubmits, 'submit was', 'submits were')} under way when Dailies last ended: each may have been charged and needs your decision (\`${list}\`).`,
        ]
      : []),
    ...(recoveredAnswers > 0
      ? [`${counted(recoveredAnswers, 'paid result was', 'paid results were')} found on disk and kept.`]
      : []),
    ...interruptedImports.map(
      (batch) => `The import of batch ${plainText(batch)} was cut off: run its list again to complete it.`,
    ),
  ];
}

export const paidAgainLine = (paid: PaidAgain): string =>
  paid.type === 'moved' ? movedLine(paid) : madeAlreadyLine(paid);

/** Which batch has most of a list, and what it comes to there and as a new one. */
function madeAlreadyLine({ shots, ofShots, there, elsewhere }: MadeAlready): string {
  const held = `${shots} of ${counted(ofShots, 'shot')} ${shots === 1 ? 'is' : 'are'} in the batch ${plainText(there.name)} already.`;
  const left = there.leftOut === 0 ? '' : `, and ${counted(there.leftOut, 'shot')} of it left out`;
  return `${held} Added to it: ${startModeInWords(there)}${left}. As the new batch ${plainText(elsewhere.name)}: ${startModeInWords(elsewhere)}.`;
}

/** Which rows only have other keys now, by an example, and what they come to. */
function movedLine({ batch, shots, ofShots, newTakes, example }: MovedShots): string {
  const { shot, madeAs } = example;
  return (
    `${shots} of ${counted(ofShots, 'shot')} ${shots === 1 ? 'asks' : 'ask'} for what the batch ${plainText(batch)} has made under ` +
    `${shots === 1 ? 'another key' : 'other keys'} (${plainText(shot)} for what ${plainText(madeAs)} was). ` +
    `Renamed or moved, ${shots === 1 ? 'it is' : 'they are'} made again: ${counted(newTakes, 'new take')}.`
  );
}

/** Files from outside named at most. */
export const MOST_FILES = 20;

export function outsideLines(files: readonly OutsideFile[]): string[] {
  const named = files.slice(0, MOST_FILES).map(({ path, shots: [first = '', ...more] }) => {
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return `  ${plainText(path)} (shot ${plainText(first)}${others})`;
  });
  const unnamed = files.length > MOST_FILES ? [`  and ${files.length - MOST_FILES} more`] : [];
  const lie = files.length === 1 ? 'lies' : 'lie';
  return [
    `${counted(files.length, 'file')} to send ${lie} outside the folders of the list and the project:`,
    ...named,
    ...unnamed,
  ];
}

function startModeInWords({ newTakes, price, unpriced, currency }: StartMode): string {
  const takes = counted(newTakes, 'new take');
  if (price === null) return takes;
  const more = unpriced === 0 ? '' : ` and ${counted(unpriced, 'take')} of unknown price`;
  return `${takes} (${priceInWords(price, currency)}${more})`;
}

const priceInWords = (price: number, currency: string): string => `${price.toFixed(2)} ${currency}`.trim();

/** What new takes come to, a line for each model; those with video input have a line of their own. */
export function estimateLines({ lines, currency }: Estimate): string[] {
  return lines.map(({ kind, model, videoInput, takes, seconds, price }) => {
    const input = videoInput ? ' with video input (billed differently)' : '';
    const parts = [
      counted(takes, 'take'),
      ...(seconds === null ? [] : [`${seconds} s`]),
      price === null ? 'no price known' : priceInWords(price, currency),
    ];
    return `Estimate: ${kind} ${plainText(model)}${input}: ${parts.join(', ')}`;
  });
}

export const takeName = (job: JobView) => `${plainText(job.shot)} take ${job.take}`;

const costWords: Record<Cost, string> = {
  nothing: 'nothing was charged',
  maybe: 'it may have been charged',
  charged: 'it was charged',
};

/** What happened and what it costs. */
export function failureLine(failure: Failure): string {
  const happened = unstopped(failure.message);
  // Some messages say it themselves.
  return /\bcharged?\b/.test(happened) ? happened : `${happened} (${costWords[failure.cost]})`;
}

/** `22 saved, 1 failed, 1 needs a decision`: always how many are saved, and what else there is. */
export function countsLine(counts: Readonly<Counts>): string {
  const words = countsInWords(counts);
  return counts.saved > 0 ? words : ['0 saved', words].filter(Boolean).join(', ');
}

/** A sentence that goes on after another; what begins with more than one capital is a name. */
function inSentence(sentence: string): string {
  return sentence.replace(/^\p{Lu}(?=\p{Ll})/u, (first) => first.toLowerCase());
}

/** A sentence inside another has no full stop of its own. */
function unstopped(sentence: string): string {
  return plainText(sentence).replace(/\.$/, '');
}

/** What is under way, as the one part of a line; no part at all when nothing is. */
export function underWayLine(status: QueueStatus | null, tally: Tally): string[] {
  const { submit, download } = status?.underWay ?? { submit: 0, download: 0 };
  const parts = [
    tally.preparing > 0 && `${tally.preparing} being prepared`,
    submit > 0 && `${submit} being sent`,
    tally.atService > 0 && `${tally.atService} at the service`,
    download > 0 && `${download} being fetched`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? [parts.join(', ')] : [];
}

/** The answer to the first Ctrl-C: what is waited for, and what a second one does. */
export function stoppingLine(submits: number): string {
  if (submits === 0) return 'Stopping. Nothing is being sent; the rest goes on at the next start.';
  return (
    `Stopping. Waiting for the answer to ${counted(submits, 'request')} under way: ${submits === 1 ? 'it is' : 'they are'} paid for. ` +
    'Press Ctrl-C again to stop at once: each then needs a decision, since it may have been charged.'
  );
}
