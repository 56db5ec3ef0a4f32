import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findingsOf } from '../finding.ts';
import { inTurns, timed, type Side } from '../measure.ts';
import type { MeasureRow } from '../row.ts';

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js');
/** Starts a round: one alone is too short for a noisy machine. */
const STARTS = 5;

/** How long the built command takes to say what it can do, against Node doing nothing. */
export const measure: MeasureRow = async ({ rounds }) => {
  if (!existsSync(CLI)) throw new Error('The command is not built: run `npm run build` first.');
  const compared = await inTurns(rounds, starting('ours', [CLI, '--help']), [starting('node -e 0', ['-e', '0'])]);
  return findingsOf('dailies --help', { name: 'ms', digits: 0 }, compared, [null]);
};

const starting = (name: string, parameters: readonly string[]): Side => ({
  name,
  measure: async () => {
    const ms = await timed(async () => {
      for (let start = 0; start < STARTS; start += 1) await promisify(execFile)(process.execPath, [...parameters]);
    });
    return ms / STARTS;
  },
});
