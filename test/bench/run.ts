import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Finding } from './finding.ts';
import { machineFacts, tableOf, writeReport } from './report.ts';
import type { RowOrder } from './row-process.ts';
import { isRowName, rowNames, type RowName } from './row.ts';

/**
 * `npm run bench [-- [--quick] ROW...]`: measures all rows and writes docs/performance.md. With rows named, or with
 * `--quick` (few rounds), the figures are only shown: the page has figures of one whole run.
 */
const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  allowPositionals: true,
});
if (values.help === true) {
  console.log(`npm run bench [-- [--quick] ROW...]\n\nRows: ${rowNames.join(', ')}.`);
  process.exit();
}
const unknown = positionals.filter((name) => !isRowName(name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}. Rows: ${rowNames.join(', ')}.`);
  process.exit(2);
}

const chosen = positionals.length === 0 ? rowNames : positionals.filter(isRowName);
const rounds = values.quick === true ? 2 : 7;
/** A row that takes longer waits for something that does not come. */
const LONGEST_ROW_MS = 5 * 60_000;
const scratch = mkdtempSync(join(tmpdir(), 'dailies-bench-'));
let running: ChildProcess | null = null;

const tidyUp = (): void => {
  running?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
};
process.once('exit', tidyUp);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const findings: Finding[] = [];
for (const name of chosen) {
  const startedAt = performance.now();
  const found = await measured(name);
  if (found === null) continue;
  findings.push(...found);
  console.error(`Measured ${name} in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}
console.log(`\n${machineFacts()}\n\n${tableOf(findings)}`);
const isWhole = positionals.length === 0 && values.quick !== true && process.exitCode === undefined;
if (isWhole) writeReport(findings);

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
    wait(LONGEST_ROW_MS, null, { ref: false }),
  ]);
  if (answer === null) child.kill();
  running = null;
  rmSync(folder, { recursive: true, force: true });
  if (answer !== null) return answer;
  console.error(`The row ${name} could not be measured; see above.`);
  process.exitCode = 1;
  return null;
}
