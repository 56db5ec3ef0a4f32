import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { t } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { toText } from '../../engine/base/errors.ts';
import type { CopiedSoFar } from '../../engine/projects/export-project.ts';
import { exitStatus, type ExitStatus, UsageError } from '../exit.ts';
import type { Session } from '../session.ts';
import { type Column, plainText, tableLines, withSmallLetter } from './text.ts';
import type { Failure } from '../../contract/failure.ts';
import { failureLine } from './words.ts';
import type { Shell } from '../shell.ts';

interface List<Row> {
  /** Its `type` in JSON. */
  readonly type: string;
  readonly rows: Iterable<Row>;
  /** The fields of its JSON; the row itself without this. */
  readonly object?: (row: Row) => object;
  /** Without columns, its rows are lines of their own. */
  readonly columns?: readonly Column[];
  readonly cells: (row: Row) => readonly string[];
  readonly total?: Row;
  readonly none?: string;
  readonly below?: readonly string[];
  readonly last?: object;
}

export function printList<Row>({ json, print, printJson }: Session, list: List<Row>): void {
  const { type, rows, object = (row) => row as object, columns, cells, none, below = [], last } = list;
  if (json) {
    for (const row of rows) printJson({ ...{ type }, ...object(row), type });
    if (last) printJson(last);
    return;
  }
  let isEmpty = true;
  const lines = columns ? tableFor(columns, [...rows], list) : linesFor(rows, cells);
  for (const line of lines) {
    print(line);
    isEmpty = false;
  }
  if (isEmpty && none !== undefined) print(none);
  for (const line of below) if (line !== '') print(line);
}

function tableFor<Row>(columns: readonly Column[], rows: readonly Row[], { cells, total }: List<Row>): string[] {
  return rows.length === 0 ? [] : tableLines(columns, [...rows, ...(total ? [total] : [])].map(cells));
}

/** One at a time: a list may be as long as a history. */
function* linesFor<Row>(rows: Iterable<Row>, cells: List<Row>['cells']): Generator<string> {
  for (const row of rows) yield* cells(row);
}

export function printOne({ json, print, printJson }: Session, object: object, line: string): void {
  if (json) printJson(object);
  else print(line);
}

/** Columns by the keys of their titles; those after `>` hold numbers. */
export const toColumns = (...keys: readonly (PlainKey | `>${PlainKey}`)[]): Column[] =>
  keys.map((key) => ({
    title: withSmallLetter(t(key.replace('>', '') as PlainKey)),
    ...(key.startsWith('>') && { align: 'right' }),
  }));

/** Writes a new file, and returns its whole path. Throws UsageError. */
export function writeNew({ shell }: Session, name: string, text: string): string {
  const file = resolve(shell.cwd, name);
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const problem = t('failure.fileNotWritten', { file, reason: toText(error) });
    throw new UsageError(problem, t('cli.notWrittenRemedy'), { cause: error });
  }
  return file;
}

/** Reports why a tool failed, and returns the exit status that fits its cost. */
export function toolFailed({ complain }: Session, failure: Failure, more = ''): ExitStatus {
  const { remedy, cost } = failure;
  const again = cost === 'maybe' ? ` ${t('cli.toolAgain')}` : '';
  complain(`${failureLine(failure)}\n${plainText(remedy)}${again}${more}`);
  return cost === 'maybe' ? exitStatus.undecided : exitStatus.failed;
}

/** How often a line of progress is written at most, ms. */
const EVERY_MS = 200;

export function progressLine({ stderr, clock }: Pick<Shell, 'stderr' | 'clock'>) {
  let shownAt = Number.NEGATIVE_INFINITY;
  let isShown = false;
  const clear = (): void => {
    if (isShown) stderr.control?.('\r\u001B[K');
    isShown = false;
  };
  return {
    clear,
    show(text: () => string): void {
      if (stderr.isTTY !== true || clock.now() - shownAt < EVERY_MS) return;
      clear();
      stderr.write(text());
      isShown = true;
      shownAt = clock.now();
    },
  };
}

export async function withProgress<Step, Result>(
  { shell }: Pick<Session, 'shell'>,
  steps: AsyncGenerator<Step, Result, void>,
  tell: (step: Step, line: ReturnType<typeof progressLine>) => void,
): Promise<Result> {
  const line = progressLine(shell);
  try {
    for (;;) {
      const { done, value } = await steps.next();
      if (done === true) return value;
      tell(value, line);
    }
  } finally {
    line.clear();
  }
}

/** Copies with progress. A failure or an interruption ends the copying, which then removes what it has copied. */
export async function copied<Copied>(
  session: Pick<Session, 'shell' | 'interrupted'>,
  copying: AsyncGenerator<CopiedSoFar, Copied, undefined>,
): Promise<Copied> {
  try {
    return await withProgress(session, copying, ({ files, ofFiles, bytes, ofBytes }, { show }) => {
      const totalBytes = bytesForPeople(Math.max(bytes, ofBytes));
      show(() => t('review.exportCopied', { files, total: ofFiles, bytes: bytesForPeople(bytes), totalBytes }));
      session.interrupted.throwIfAborted();
    });
  } finally {
    await copying.return(undefined as never);
  }
}
