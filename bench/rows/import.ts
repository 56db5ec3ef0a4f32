import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Papa from 'papaparse';
import { v7 as uuid } from 'uuid';
import { Settings } from '../../src/contract/settings.ts';
import { readTable } from '../../src/engine/batches/read-table.ts';
import { checkList } from '../../src/engine/batches/validate.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { seedJobs } from '../../test/engine/db/seed.ts';
import { findingsOf, limitOf } from '../finding.ts';
import { inTurns, spreadOf, timed, watchTurns, type Side } from '../measure.ts';
import { benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';

const ROWS = 50_000;
const MAX_ROUNDS = 3;
/** Rows a commit, as the engine has them: both sides sync equally often. */
const ROWS_A_COMMIT = 400;

/**
 * From a CSV file to jobs that are ready to be sent: read, every row checked, shots and jobs in the database, the batch
 * in its file in the project folder. The peer is papaparse and the same two rows a shot in the same tables and in as
 * many synced commits; it checks nothing and writes no batch file.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const list = join(folder, 'list.csv');
  writeFileSync(list, shotList());
  const stalls: Stalls = { wall: [], processor: [] };
  const compared = await inTurns(Math.min(rounds, MAX_ROUNDS), ours(list, folder, stalls), [
    papaparseAndInserts(list, folder),
  ]);
  return [
    ...findingsOf('50,000 rows from file to ready jobs', { name: 's', digits: 2 }, compared, [{ atMost: 1.3 }]),
    limitOf('longest event-loop stall of that', { name: 'ms', digits: 0 }, spreadOf(stalls.wall), { atMost: 30 }),
    limitOf('… longest turn of that, processor time', { name: 'ms', digits: 0 }, spreadOf(stalls.processor), {
      atMost: 30,
    }),
  ];
};

interface Stalls {
  readonly wall: number[];
  readonly processor: number[];
}

function ours(list: string, folder: string, stalls: Stalls): Side {
  const dataFolder = join(folder, 'ours');
  const projectPath = join(folder, 'film');
  return {
    name: 'ours',
    async measure() {
      mkdirSync(projectPath);
      const settings = Settings.parse({ baseUrl: 'http://127.0.0.1:9' });
      const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
      const project = await engine.projects.open(projectPath);
      const loop = monitorEventLoopDelay({ resolution: 1 });
      loop.enable();
      const longestTurn = watchTurns();
      const ms = await timed(async () => {
        const table = await readTable({ bytes: await readFile(list) });
        const { shots } = await checkList(table, { listFolder: folder });
        const request = { project, name: 'Day 1', listFolder: folder, source: 'list.csv', shots, again: false };
        const { newTakes } = await engine.batches.start(request);
        if (newTakes !== ROWS) throw new Error(`${newTakes} jobs were made of ${ROWS} rows.`);
      });
      loop.disable();
      stalls.wall.push(loop.max / 1e6);
      stalls.processor.push(longestTurn());
      await engine.stop();
      rmSync(dataFolder, { recursive: true });
      rmSync(projectPath, { recursive: true });
      return ms / 1000;
    },
  };
}

function papaparseAndInserts(list: string, folder: string): Side {
  const dataFolder = join(folder, 'peer');
  return {
    name: 'papaparse and raw inserts',
    measure: async () => {
      const { db: opened } = seedJobs(dataFolder, 0);
      const db = opened.facts;
      const addShot =
        db.prepare(`INSERT INTO shots (id, batch_id, key, position, content_hash, spec, current, created_at)
        VALUES (?, 'batch', ?, ?, ?, ?, 1, ?)`);
      const addJob = db.prepare(`INSERT INTO jobs (id, project_id, batch_id, shot_id, shot_key, take, kind, model,
          priority, state, due_at, facts, created_at, updated_at)
        VALUES (?, 'project', 'batch', ?, ?, 1, ?, ?, 0, 'ready', 0, '{"state":"ready"}', ?, ?)`);
      const ms = await timed(() => {
        const { data } = Papa.parse<Record<string, string>>(readFileSync(list, 'utf8'), {
          header: true,
          skipEmptyLines: true,
        });
        const now = Date.now();
        const shots = data.map((row, position) => ({ id: uuid(), row, position, key: row['shot'] ?? '' }));
        const hash = '0'.repeat(64);
        inSlices(shots, (slice) => {
          db.transaction(() => {
            for (const { id, row, position, key } of slice)
              addShot.run(id, key, position, hash, JSON.stringify(row), now);
          }).immediate();
        });
        inSlices(shots, (slice) => {
          db.transaction(() => {
            for (const { id, row, key } of slice) addJob.run(uuid(), id, key, row['kind'], row['model'], now, now);
          }).immediate();
        });
      });
      opened.close();
      rmSync(dataFolder, { recursive: true });
      return ms / 1000;
    },
  };
}

function inSlices<Item>(items: readonly Item[], work: (slice: readonly Item[]) => void): void {
  for (let start = 0; start < items.length; start += ROWS_A_COMMIT) work(items.slice(start, start + ROWS_A_COMMIT));
}

/** A shot list as producers write them: three kinds, a prompt of a sentence or two, a few settings, a note. */
function shotList(): string {
  const kinds = [
    { kind: 'video', model: 'vgen-2.0-cl-fast', duration: '5', aspect_ratio: '16:9' },
    { kind: 'video', model: 'vgen-2.0-cl', duration: '8', aspect_ratio: '9:16' },
    { kind: 'image', model: 'image-demo', duration: '', aspect_ratio: '1:1' },
    { kind: 'music', model: 'music-demo', duration: '', aspect_ratio: '' },
  ] as const;
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const { kind, model, duration, aspect_ratio } = kinds[index % kinds.length] ?? kinds[0];
    const prompt = `Scene ${index % 97}, shot ${index}: a lighthouse in a storm, waves over the rocks, slow dolly in, "cold" morning light`;
    return {
      shot: `SC${String(index % 97).padStart(3, '0')}_${String(index).padStart(5, '0')}`,
      kind,
      model,
      prompt,
      duration,
      aspect_ratio,
      takes: '1',
      notes: index % 5 === 0 ? 'ask the director about the weather, please' : '',
      scene: String(index % 97),
    };
  });
  return `${Papa.unparse(rows, { newline: '\r\n' })}\r\n`;
}
