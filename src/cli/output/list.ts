import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PlainKey } from '../../contract/commands/command.ts';
import { say } from '../../contract/messages/words.ts';
import { textOf } from '../../engine/base/errors.ts';
import { exitStatus, type ExitStatus, UsageError } from '../exit.ts';
import { printTo, type Session } from '../session.ts';
import { jsonLine } from './ndjson.ts';
import { type Column, plainText, tableLines } from './text.ts';
import type { Failure } from '../../contract/failure.ts';
import { failureLine } from './words.ts';
import type { Shell } from '../shell.ts';

interface List<Row> {
  /** Its `type` in JSON. */
  readonly type: string;
  readonly rows: Iterable<Row>;
  readonly object: (row: Row) => object;
  /** Without columns, its rows are lines of their own. */
  readonly columns?: readonly Column[];
  readonly cells: (row: Row) => readonly string[];
  /** The last row of the table. */
  readonly total?: Row;
  readonly none?: string;
  readonly below?: readonly string[];
  readonly last?: object;
}

/** Prints a list: a JSON object a line, or a table. */
export function printList<Row>(session: Session, json: boolean | undefined, list: List<Row>): ExitStatus {
  const { type, rows, object, columns, cells, none, below = [], last } = list;
  if (json) {
    for (const row of rows) session.shell.stdout.write(jsonLine({ ...{ type }, ...object(row), type }));
    if (last) session.shell.stdout.write(jsonLine(last));
    return exitStatus.saved;
  }
  const print = printTo(session);
  let isEmpty = true;
  const lines = columns ? tableOf(columns, [...rows], list) : linesOf(rows, cells);
  for (const line of lines) {
    print(line);
    isEmpty = false;
  }
  if (isEmpty && none !== undefined) print(none);
  for (const line of below) if (line !== '') print(line);
  return exitStatus.saved;
}

function tableOf<Row>(columns: readonly Column[], rows: readonly Row[], { cells, total }: List<Row>): string[] {
  return rows.length === 0 ? [] : tableLines(columns, [...rows, ...(total ? [total] : [])].map(cells));
}

/** One at a time: a list may be as long as a history. */
function* linesOf<Row>(rows: Iterable<Row>, cells: List<Row>['cells']): Generator<string> {
  for (const row of rows) yield* cells(row);
}

/** Prints one thing: a JSON object, or a line. */
export function printOne(session: Session, json: boolean | undefined, object: object, line: string): ExitStatus {
  if (json) session.shell.stdout.write(jsonLine(object));
  else printTo(session)(line);
  return exitStatus.saved;
}

export const printLine = (session: Session, line: string): ExitStatus => printOne(session, false, {}, line);

/** Columns by the keys of their titles; those after `>` hold numbers. */
export const columnsOf = (...keys: readonly (PlainKey | `>${PlainKey}`)[]): Column[] =>
  keys.map((key) =>
    key.startsWith('>') ? { title: say(key.slice(1) as PlainKey), align: 'right' } : { title: say(key as PlainKey) },
  );

/** Writes a new file, and returns its whole path. Throws UsageError. */
export function writeNew({ shell }: Session, name: string, text: string): string {
  const file = resolve(shell.cwd, name);
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const problem = say('cli.notWritten', { file, reason: textOf(error) });
    throw new UsageError(problem, say('cli.notWrittenRemedy'), { cause: error });
  }
  return file;
}

/** Prints an object as a line. */
export const printJson = ({ shell }: Pick<Session, 'shell'>, object: object): void => {
  shell.stdout.write(jsonLine(object));
};

/** Reports why a tool failed, and returns the exit status that fits its cost. */
export function toolFailed({ shell }: Session, failure: Failure, more = ''): ExitStatus {
  const { remedy, cost } = failure;
  const again = cost === 'maybe' ? ` ${say('cli.toolAgain')}` : '';
  shell.stderr.write(`${failureLine(failure)}\n${plainText(remedy)}${again}${more}\n`);
  return cost === 'maybe' ? exitStatus.undecided : exitStatus.failed;
}

/** How often a line of progress is written at most, ms. */
const EVERY_MS = 200;

/** One line of progress that is overwritten, at a terminal only. */
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
