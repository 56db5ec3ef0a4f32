import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Finding } from './finding.ts';
import { inMarkdown, writeReport, type MeasuredRow } from './report.ts';
import type { RowOrder } from './row-process.ts';
import { isRowName, longRowNames, rowNames, type RowName } from './row.ts';

/**
 * `npm run bench [-- [--quick] ROW...]`: measures all rows and writes docs/reference/performance.md. With rows named, or with
 * `--quick` (few rounds), the figures are only shown: the page has figures of one whole run.
 */
const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
if (values.help === true) {
  console.log(
    `npm run bench [-- [--quick] ROW...]\n\nRows: ${rowNames.join(', ')}.\nOnly when named: ${longRowNames.join(', ')}.`,
  );
  process.exit();
}
const unknown = positionals.filter((name) => !isRowName(name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}. Rows: ${rowNames.join(', ')}.`);
  process.exit(2);
}

const chosen = positionals.length === 0 ? rowNames : positionals.filter(isRowName);
const rounds = values.quick === true ? 2 : 5;
/** A row that takes longer waits for something that does not come. */
const MAX_ROW_MS = 20 * 60_000;
/** A row that hears that it is to end does so at once, ms. */
const TIMEOUT_MS = 10_000;
const scratch = mkdtempSync(join(tmpdir(), 'dailies-bench-'));
let running: ChildProcess | null = null;

const tidyUp = (): void => {
  running?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
};
process.once('exit', tidyUp);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const rows: MeasuredRow[] = [];
for (const name of chosen) {
  const startedAt = performance.now();
  const found = await measured(name);
  if (found === null) continue;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  rows.push({ name, seconds, findings: found });
  console.error(`Measured ${name} in ${seconds} s`);
}
console.log(`\n${inMarkdown(rows)}`);
const isWhole = positionals.length === 0 && values.quick !== true && process.exitCode === undefined;
if (isWhole) writeReport(rows);

/** Null for a row that failed: the others are worth measuring all the same, and the page is left as it is. */
async function measured(name: RowName): Promise<Finding[] | null> {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const child = fork(join(import.meta.dirname, 'row-process.ts'));
  running = child;
  const order: RowOrder = { name, rounds, folder };
  child.send(order);
  const answer = await Promise.race([
    once(child, 'message').then(([message]) => message as Finding[]),
    once(child, 'exit').then(() => null),
    wait(MAX_ROW_MS, null, { ref: false }),
  ]);
  await ended(child);
  running = null;
  rmSync(folder, { recursive: true, force: true });
  if (answer !== null) return answer;
  console.error(`The row ${name} could not be measured; see above.`);
  process.exitCode = 1;
  return null;
}

/** Ends a row with all that it has started, such as a server and a browser. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  if (child.connected) child.disconnect();
  if ((await Promise.race([exit, wait(TIMEOUT_MS, null, { ref: false })])) === null) child.kill('SIGKILL');
  await exit;
}
