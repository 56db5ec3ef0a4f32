import Database from 'better-sqlite3';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Settings } from '../../src/contract/settings.ts';
import { databaseFile } from '../../src/engine/db/open.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { findingsOf, limitOf, type Finding } from '../finding.ts';
import { inTurns, timed, type Side } from '../measure.ts';
import { benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { seedUnfinished, type Unfinished } from '../seed-unfinished.ts';

const ORIGIN = 'http://127.0.0.1:9';

/** What an engine may have left: the usual crash, with as many steps under way as the settings allow, and the worst. */
const crashes: readonly { readonly what: string; readonly jobs: Required<Unfinished['jobs']> }[] = [
  { what: 'as a crash leaves them', jobs: { ready: 4, submitting: 4, downloading: 6, polling: 9986 } },
  { what: 'a quarter each', jobs: { ready: 2500, submitting: 2500, downloading: 2500, polling: 2500 } },
];

/**
 * Starting an engine over 10,000 unfinished jobs, until it stands ready: jobs that were being submitted are of unknown
 * fate now. The peer opens the same database and reads all its jobs.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const findings: Finding[] = [];
  for (const [index, { what, jobs }] of crashes.entries()) {
    const left = join(folder, `left-${index}`);
    seedUnfinished({ dataFolder: join(left, 'data'), projectPath: join(folder, 'film'), origin: ORIGIN, jobs });
    const dataFolder = join(folder, 'data');
    const compared = await inTurns(rounds, ours(join(left, 'data'), dataFolder, jobs.submitting), [
      bare(join(left, 'data'), dataFolder),
    ]);
    const title = `Recovery of 10,000 jobs, ${what}`;
    findings.push(
      ...findingsOf(title, { name: 'ms', digits: 0 }, compared, [null]),
      limitOf('… slowest round', { name: 'ms', digits: 0 }, compared.ours.figure, { atMost: 2000 }),
    );
  }
  return findings;
};

const ours = (left: string, dataFolder: string, submitting: number): Side => ({
  name: 'ours',
  measure: () =>
    onCopyOf(left, dataFolder, async () => {
      const settings = Settings.parse({ baseUrl: ORIGIN });
      const start = performance.now();
      const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
      const ms = performance.now() - start;
      const { unknownSubmits } = engine.recovery;
      await engine.stop();
      if (unknownSubmits !== submitting) throw new Error(`${unknownSubmits} of ${submitting} submits were recovered.`);
      return ms;
    }),
});

const bare = (left: string, dataFolder: string): Side => ({
  name: 'opening the database, reading all rows',
  measure: () =>
    onCopyOf(left, dataFolder, () =>
      timed(() => {
        const db = new Database(databaseFile(dataFolder));
        db.prepare('SELECT * FROM jobs').all();
        db.close();
      }),
    ),
});

async function onCopyOf(left: string, dataFolder: string, work: () => Promise<number>): Promise<number> {
  cpSync(left, dataFolder, { recursive: true });
  try {
    return await work();
  } finally {
    rmSync(dataFolder, { recursive: true });
  }
}
