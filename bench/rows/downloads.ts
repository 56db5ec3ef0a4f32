import { execFile } from 'node:child_process';
import { createWriteStream, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Agent, stream } from 'undici';
import { Settings } from '../../src/contract/settings.ts';
import { createDownloader, type Downloader } from '../../src/engine/downloads/download.ts';
import { placeOf } from '../../test/support/places.ts';
import { seedJobs, type Seeded } from '../../test/engine/db/seed.ts';
import { findingsOf, type Finding, type Goal } from '../finding.ts';
import { inTurns, manyAtOnce, timed, type Side } from '../measure.ts';
import { benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { startServer } from '../start-server.ts';

const settings = Settings.parse({});
const unit = { name: 'MB/s', digits: 0 };
const MB = 1000 ** 2;
const MAX_ROUNDS = 3;
/** At the pace of a line, each takes its time. */
const MAX_SLOW_ROUNDS = 2;

/** Files that are fetched in one round. */
interface Load {
  readonly what: string;
  readonly files: number;
  readonly bytes: number;
  /** What the server is asked for besides. */
  readonly query: string;
  /** Bounds on the ratio to curl and to bare undici. */
  readonly goals: readonly (Goal | null)[];
}

const loads: readonly Load[] = [
  {
    what: 'Download of 256 MB',
    files: 1,
    bytes: 256 * MB,
    query: '',
    goals: [{ atLeast: 0.7 }, { atLeast: 0.6 }],
  },
  {
    what: '256 MB over 2.5 gigabit/s',
    files: 1,
    bytes: 256 * MB,
    query: '?gigabits=2.5',
    goals: [{ atLeast: 1 }, null],
  },
  {
    what: 'Download of 500 × 256 KB',
    files: 500,
    bytes: 256 * 1024,
    query: '',
    goals: [{ atLeast: 1 }, { atLeast: 0.6 }],
  },
];

/**
 * Fetching files into part files: hashed, synced, with their resume points in the database. The peers write files and no
 * more: no hash, no sync. We and bare undici fetch as many at once as the settings allow; curl is one process that is
 * given all addresses and fetches them one after the other over one connection.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const server = await startServer();
  const downloader = createDownloader(benchPorts());
  const agent = new Agent();
  const findings: Finding[] = [];
  for (const [index, load] of loads.entries()) {
    const seeded = seedJobs(join(folder, `data-${index}`), load.files);
    const compared = await inTurns(
      Math.min(rounds, load.query === '' ? MAX_ROUNDS : MAX_SLOW_ROUNDS),
      ours(downloader, seeded, server.url, folder, load),
      [curl(server.url, folder, load), bareUndici(agent, server.url, folder, load)],
    );
    seeded.db.close();
    findings.push(...findingsOf(load.what, unit, compared, load.goals));
  }
  await Promise.all([downloader.close(), agent.close()]);
  server.stop();
  return findings;
};

const ours = (downloader: Downloader, { outputs, jobIds }: Seeded, origin: string, folder: string, load: Load): Side =>
  megabytesPerSecond('ours', folder, load, async (paths) => {
    await manyAtOnce(load.files, settings.concurrency.download, async (index) => {
      const jobId = jobIds[index] ?? '';
      const outcome = await downloader.download({
        url: addressOf(origin, load, index),
        part: placeOf(paths[index] ?? ''),
        resume: null,
        service: { origin, authorization: () => null },
        maxBytes: settings.maxDownloadBytes,
        minFreeBytes: settings.minFreeBytes,
        signal: new AbortController().signal,
        persist: (point) => outputs.savePart(jobId, 1, point),
      });
      if (outcome.type !== 'complete') throw new Error(`A download came to ${outcome.type}.`);
    });
  });

const curl = (origin: string, folder: string, load: Load): Side =>
  megabytesPerSecond('curl', folder, load, async (paths) => {
    const config = join(folder, 'curl.config');
    const lines = paths.map((path, index) => `url = "${addressOf(origin, load, index)}"\noutput = "${path}"\n`);
    writeFileSync(config, lines.join(''));
    await promisify(execFile)('curl', ['--silent', '--show-error', '--fail', '--config', config]);
  });

const bareUndici = (dispatcher: Agent, origin: string, folder: string, load: Load): Side =>
  megabytesPerSecond('bare undici to a file', folder, load, async (paths) => {
    await manyAtOnce(load.files, settings.concurrency.download, async (index) => {
      const path = paths[index] ?? '';
      await stream(addressOf(origin, load, index), { dispatcher, method: 'GET' }, () => createWriteStream(path));
    });
  });

const addressOf = (origin: string, load: Load, index: number): string =>
  `${origin}/files/${load.bytes}/${index}.mp4${load.query}`;

function megabytesPerSecond(
  name: string,
  folder: string,
  { files, bytes }: Load,
  fetchAll: (paths: readonly string[]) => Promise<void>,
): Side {
  const place = join(folder, 'files');
  const paths = Array.from({ length: files }, (_, index) => join(place, `${index}.part`));
  return {
    name,
    measure: async () => {
      mkdirSync(place);
      const ms = await timed(() => fetchAll(paths));
      const short = paths.find((path) => statSync(path).size !== bytes);
      if (short !== undefined) throw new Error(`${name} left a file that is not whole.`);
      // Removing the file drops what was not synced yet, so that it does not slow down the next client.
      rmSync(place, { recursive: true });
      return (files * bytes) / 1000 / ms;
    },
  };
}
