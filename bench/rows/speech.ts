import { writeFile } from 'node:fs/promises';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'undici';
import { Settings } from '../../src/contract/settings.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { findingsOf } from '../finding.ts';
import { inTurns, manyAtOnce, timed, type Side } from '../measure.ts';
import { BENCH_KEY, benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { startServer } from '../start-server.ts';

const FILES = 200;
const AT_ONCE = 4;
const MAX_ROUNDS = 3;

/**
 * Speech, whose answer is the file: intended and kept on disk, checked, published, with its recipe, beside undici that
 * writes the same answers to files. Each POST has a connection of its own on both sides; see the row `calls`.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const server = await startServer();
  const compared = await inTurns(Math.min(rounds, MAX_ROUNDS), ours(server.url, folder), [
    bareUndici(server.url, folder),
  ]);
  server.stop();
  return findingsOf(`Speech files saved, ${String(AT_ONCE)} at once`, { name: '/s', digits: 0 }, compared, [null]);
};

const textOf = (index: number): string => `Line ${String(index)}: the keeper winds the clockwork of the lamp.`;

const ours = (baseUrl: string, folder: string): Side => ({
  name: 'ours',
  async measure() {
    const settings = Settings.parse({ baseUrl, concurrency: { submit: AT_ONCE }, maxRate: { submit: 100_000 } });
    const engine = await startEngine({
      dataFolder: join(folder, 'data'),
      settings,
      ports: benchPorts(),
      command: 'bench',
    });
    mkdirSync(join(folder, 'film'));
    const project = await engine.projects.open(join(folder, 'film'));
    const shots = Array.from({ length: FILES }, (_none, index): ShotSpec => ({
      ...{ key: String(index), kind: 'speech', model: 'speech-demo', prompt: textOf(index), takes: 1 },
      ...{ params: { voice: 'alto' }, extra: {}, columns: {}, priority: 0 },
    }));
    await engine.batches.start({ project, name: 'Day 1', listFolder: folder, source: 'list.csv', shots, again: false });
    const ms = await timed(async () => {
      engine.queue.run({});
      await engine.queue.settled();
    });
    const { saved } = engine.stores.tally.counts({});
    if (saved !== FILES) throw new Error(`${String(saved)} of ${String(FILES)} takes are saved.`);
    await engine.stop();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    return (FILES / ms) * 1000;
  },
});

const bareUndici = (url: string, folder: string): Side => ({
  name: 'bare undici to a file',
  async measure() {
    const ms = await timed(() =>
      manyAtOnce(FILES, AT_ONCE, async (index) => {
        const connection = new Client(url);
        const { body } = await connection.request({
          method: 'POST',
          path: '/v1/audio/speech',
          headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'speech-demo', input: textOf(index), voice: 'alto' }),
          reset: true,
        });
        await writeFile(join(folder, `${String(index)}.mp3`), Buffer.from(await body.arrayBuffer()));
        await connection.close();
      }),
    );
    return (FILES / ms) * 1000;
  },
});
