import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { disableGroup, startDemoService, type DemoService, type NewAsset } from '../../support/demo/service.ts';
import { createServiceClient, type ServiceClient } from '../../../src/engine/api/client.ts';
import { AssetStore } from '../../../src/engine/db/asset-store.ts';
import { openDatabase, type EngineDatabase } from '../../../src/engine/db/open.ts';
import { syncLibrary } from '../../../src/engine/library/sync.ts';
import { clockOfTest, unlimitedQueues } from '../api/support.ts';
import { MemoryLog } from '../../support/memory-log.ts';
import { account } from './records.ts';

let folder: string;
let db: EngineDatabase;
let store: AssetStore;
let service: DemoService;
let client: ServiceClient;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-library-'));
  db = openDatabase(folder);
  store = new AssetStore(db);
  service = await startDemoService({ media: 'tiny', clock: clockOfTest(), speed: { assetMs: 0 } });
  client = createServiceClient({
    queues: unlimitedQueues(clockOfTest()),
    baseUrl: service.url,
    apiKey: () => service.apiKey,
    clock: clockOfTest(),
    logger: new MemoryLog(),
    timeouts: { connectMs: 15_000, submitMs: 60_000, answerMs: 60_000, getMs: 30_000 },
  });
});
afterEach(async () => {
  await client.close();
  await service.stop();
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const NOW = Date.UTC(2026, 8, 1);
const sync = () => syncLibrary(client, account, store, () => NOW);
const written = () => db.facts.prepare('SELECT total_changes()').pluck().get() as number;

const remoteAsset = (groupId: string, name: string): NewAsset => ({
  groupId,
  name,
  type: 'image',
  upload: 'file',
  model: null,
  mode: 'asset',
  purpose: null,
  role: null,
  description: '',
  sourceUrl: null,
  contentType: 'image/png',
  bytes: 100,
  syncMs: 0,
  end: 'ready',
  syncError: null,
});

/** `groups` groups that share `count` assets. */
function fill(groups: number, count: number): string[] {
  const ids = Array.from({ length: groups }, (_, index) => {
    return service.assets.createGroup({ name: `Group ${index}`, description: '', domain: 'media' }).id;
  });
  for (let index = 0; index < count; index += 1) {
    service.assets.createAsset(remoteAsset(ids[index % groups] ?? '', `asset ${index}.png`));
  }
  return ids;
}

describe('a sync', () => {
  it('brings 5,000 assets in 60 groups in one question a page, and writes nothing the second time @night', async () => {
    fill(60, 5000);
    const report = await sync();
    expect(report).toMatchObject({ groups: 61, assets: 5000, added: 5061, changed: 0, vanished: 0, problems: [] });
    // One page of groups, one of each group, and one look at what is listed without a group.
    expect(service.ledger.received).toBe(63);
    const before = written();
    expect(await sync()).toMatchObject({ assets: 5000, added: 0, changed: 0, vanished: 0 });
    expect(written()).toBe(before);
    expect(store.assets(account)).toHaveLength(5000);
  });

  it('reads every page of a group that has many', async () => {
    const [id = ''] = fill(1, 350);
    expect(await sync()).toMatchObject({ assets: 350 });
    expect(service.ledger.gets('/v1/assets').filter((entry) => entry.query.includes(id))).toHaveLength(4);
  });

  it('lets the event loop turn while it works', async () => {
    fill(20, 3000);
    const turns: number[] = [];
    let last = process.threadCpuUsage();
    const beat = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last);
      turns.push(user + system);
      last = process.threadCpuUsage();
    }, 1);
    await sync();
    clearInterval(beat);
    // Processor time of this thread alone: what else the machine does is not counted.
    const whole = turns.reduce((sum, turn) => sum + turn, 0);
    expect(Math.max(...turns)).toBeLessThan(whole / 3);
  });

  it('follows names, marks what vanished, and finds it again', async () => {
    const [id = ''] = fill(2, 4);
    await sync();
    const [first] = service.assets.assets();
    service.assets.assetsById.delete(first?.id ?? '');
    const group = service.assets.groupsById.get(id);
    if (group) service.assets.updateGroup(group, { name: 'Foxes' });
    expect(await sync()).toMatchObject({ added: 0, changed: 1, vanished: 1 });
    expect(store.groups(account).find((each) => each.id === id)?.name).toBe('Foxes');
    expect(store.asset(account, first?.id ?? '')?.missingSince).toBe(NOW);
    if (first) service.assets.assetsById.set(first.id, first);
    expect(await sync()).toMatchObject({ changed: 1, vanished: 0 });
    expect(store.asset(account, first?.id ?? '')?.missingSince).toBeNull();
  });

  it('keeps a group that cannot be listed as it is, and goes on with the others', async () => {
    const [first = '', second = ''] = fill(2, 6);
    await sync();
    disableGroup(service, first);
    const removed = service.assets.assets().find((each) => each.groupId === second)?.id ?? '';
    service.assets.assetsById.delete(removed);
    const report = await sync();
    expect(report).toMatchObject({ vanished: 1 });
    expect(report.problems).toEqual([expect.saying(new RegExp(first))]);
    expect(store.groups(account).find((each) => each.id === first)?.status).toBe('disabled');
    expect(store.assets(account).filter((each) => each.missingSince !== null)).toHaveLength(1);
  });

  it('keeps what a person hid hidden', async () => {
    fill(1, 2);
    await sync();
    const id = service.assets.assets()[0]?.id ?? '';
    expect(store.setHidden(account, 'asset', id, true)).toBe(true);
    await sync();
    expect(store.asset(account, id)).toMatchObject({ hidden: true });
  });

  it('rejects, and changes nothing, when the service cannot be reached', async () => {
    fill(1, 2);
    await sync();
    service.faults.add({ match: { path: '/v1/assets', times: 'always' }, do: { fault: 'status', status: 401 } });
    const before = written();
    await expect(sync()).rejects.toMatchObject({ httpStatus: 401 });
    expect(written()).toBe(before);
  });

  it('keeps accounts apart', async () => {
    fill(1, 2);
    await sync();
    const other = { ...account, keyFingerprint: 'another' };
    expect(store.assets(other)).toEqual([]);
    expect(store.groups(other)).toEqual([]);
  });
});
