import type { Shell } from '../shell.ts';
import type { Reporter } from './reporter.ts';

/** The reporter that fits `--json`, a terminal, or anything else. */
export async function reporterFor(shell: Shell, json: boolean): Promise<Reporter> {
  if (json) return new (await import('./ndjson.ts')).NdjsonReporter(shell.stdout);
  const style = (await import('./style.ts')).styleFor(shell.stdout, shell.env);
  // A terminal that cannot move its cursor gets plain lines.
  if (shell.stdout.isTTY === true && shell.env['TERM'] !== 'dumb') {
    return new (await import('./live.ts')).LiveReporter(shell.stdout, style);
  }
  return new (await import('./plain.ts')).PlainReporter(shell.stdout, style);
}
