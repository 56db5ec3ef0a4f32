import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Pool, request } from 'undici';
import { Settings } from '../../src/contract/settings.ts';
import { keyFingerprint, toOrigin } from '../../src/engine/api/address.ts';
import { unlimitedQueues } from '../../test/engine/api/support.ts';
import { createServiceClient, toTimeouts } from '../../src/engine/api/client.ts';
import { AssetStore } from '../../src/engine/db/asset-store.ts';
import { openDatabase, type EngineDatabase } from '../../src/engine/db/open.ts';
import { syncLibrary } from '../../src/engine/library/sync.ts';
import { findingsOf, limitOf, type Finding } from '../finding.ts';
import { inTurnsBy, manyAtOnce, spreadOf, timedWithCpu, type ManySided, watchTurns } from '../measure.ts';
import { BENCH_KEY, benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { LIBRARY } from '../served-library.ts';
import { startServer } from '../start-server.ts';

/** Pages that a sync reads at once. */
const AT_ONCE = 3;

type Figure = 'time' | 'cpu';
const figures = ['time', 'cpu'] as const;

/** What is counted of our syncs, besides their times. */
interface Counted {
  readonly requests: number[];
  readonly stalls: number[];
  readonly writes: number[];
}

/**
 * Bringing 5,000 assets in 60 groups in step, with no limit on the rate: into an empty library, then once more with nothing
 * new. The peer asks for the same pages, as many at once, parses them and forgets them.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const server = await startServer();
  const { clock, logger } = benchPorts();
  const timeouts = toTimeouts(Settings.parse({}));
  const client = createServiceClient({
    baseUrl: server.url,
    apiKey: () => BENCH_KEY,
    clock,
    logger,
    timeouts,
    queues: unlimitedQueues(clock),
  });
  const pool = new Pool(server.url);
  const account = { origin: toOrigin(server.url), keyFingerprint: keyFingerprint(BENCH_KEY) };
  const syncInto = (db: EngineDatabase) => () => syncLibrary(client, account, new AssetStore(db), () => clock.now());

  const first: Counted = { requests: [], stalls: [], writes: [] };
  const again: Counted = { requests: [], stalls: [], writes: [] };
  const peer = bareGets(server.url, pool);
  const empty = await inTurnsBy<Figure>(rounds, figures, firstSync(syncInto, join(folder, 'empty'), first), [peer]);
  const known = join(folder, 'known');
  mkdirSync(known);
  const db = openDatabase(known);
  const same = await inTurnsBy<Figure>(rounds, figures, sync('ours', db, syncInto(db), again), [peer]);
  db.close();
  await Promise.all([client.close(), pool.close()]);
  server.stop();

  const ms = { name: 'ms', digits: 0 };
  return [
    requestsOf([...first.requests, ...again.requests]),
    ...findingsOf('Sync of 5,000 assets, all new', ms, empty.time, [null]),
    ...findingsOf('… processor time of that', ms, empty.cpu, [null]),
    limitOf('… longest turn of that, processor time', ms, spreadOf(first.stalls), { atMost: 50 }),
    ...findingsOf('Sync of the same, nothing new', ms, same.time, [null]),
    ...findingsOf('… processor time of that', ms, same.cpu, [null]),
    // The first round is the one that brings everything.
    limitOf('… what it writes', { name: 'rows', digits: 0 }, spreadOf(again.writes.slice(1)), { atMost: 0 }),
  ];
};

function firstSync(syncInto: (db: EngineDatabase) => Syncing, dataFolder: string, counted: Counted): ManySided<Figure> {
  return {
    name: 'ours',
    async measure() {
      mkdirSync(dataFolder);
      const db = openDatabase(dataFolder);
      const figure = await sync('ours', db, syncInto(db), counted).measure();
      db.close();
      rmSync(dataFolder, { recursive: true });
      return figure;
    },
  };
}

type Syncing = () => ReturnType<typeof syncLibrary>;

const sync = (name: string, db: EngineDatabase, syncing: Syncing, counted: Counted): ManySided<Figure> => ({
  name,
  async measure() {
    let requests = 0;
    const count = (): void => void (requests += 1);
    const changes = (): number => db.facts.prepare('SELECT total_changes()').pluck().get() as number;
    const before = changes();
    const longest = watchTurns();
    subscribe('undici:request:create', count);
    const { ms, cpuMs } = await timedWithCpu(async () => {
      const { groups, assets, problems } = await syncing();
      if (groups !== LIBRARY.groups || assets !== LIBRARY.assets || problems.length > 0)
        throw new Error(`The sync saw ${groups} groups and ${assets} assets. ${problems.join(' ')}`);
    });
    unsubscribe('undici:request:create', count);
    counted.requests.push(requests);
    counted.stalls.push(longest());
    counted.writes.push(changes() - before);
    return { time: ms, cpu: cpuMs };
  },
});

const bareGets = (url: string, dispatcher: Pool): ManySided<Figure> => ({
  name: 'bare undici, the same pages',
  async measure() {
    const { ms, cpuMs } = await timedWithCpu(() =>
      manyAtOnce(LIBRARY.pages.length, AT_ONCE, async (index) => {
        const headers = { authorization: `Bearer ${BENCH_KEY}` };
        const { body } = await request(`${url}${LIBRARY.pages[index] ?? ''}`, { dispatcher, headers });
        await body.json();
      }),
    );
    return { time: ms, cpu: cpuMs };
  },
});

function requestsOf(counts: readonly number[]): Finding {
  const pages = LIBRARY.pages.length;
  const ratio = spreadOf(counts.map((count) => count / pages));
  return {
    what: 'Requests of a sync of 5,000 assets',
    ours: String(spreadOf(counts).max),
    peer: `${pages}, pages in 60 groups`,
    ratio,
    goal: 'ratio ≤ 1.05',
    met: ratio.max <= 1.05,
  };
}
