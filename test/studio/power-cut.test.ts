import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseStudioUrl } from '../../src/studio/address.ts';
import { connectStudio, NOTHING_SEEN } from '../../src/studio/database.ts';
import { initStudio } from '../../src/studio/schema/migrate.ts';
import type { Grant, GrantRequest } from '../../src/studio/types.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { startPostgres } from '../support/postgres.ts';
import { ACCOUNT, batchOf, hasPostgres, requestFor, takesOf, unlimited } from '../support/studio.ts';

/** Grants that are asked for while the server is ended as by a power cut, time after time. */
const TAKES = 60;

describe.runIf(hasPostgres)('a power cut at the database @night', () => {
  it('takes no grant back that a machine was told of, and each take is granted once', async () => {
    const { server, open, admin } = await studio();
    await admin.join('anna', 'edit', 'edit');
    const anna = await open('edit');
    await anna.enqueue(batchOf(), takesOf(TAKES));
    await admin.setRate(ACCOUNT.name, unlimited);
    const held = await anna.takeNext(['nas'], [ACCOUNT], TAKES);

    const granted = new Map<string, Grant>();
    const ask = async (request: GrantRequest): Promise<void> => {
      while (!granted.has(request.attemptId)) {
        const answer = await anna.grant(request).catch((error: unknown) => {
          if ((error as { isAway?: boolean }).isAway !== true) throw error;
          return null;
        });
        if (answer !== null) granted.set(request.attemptId, answer);
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const toldBefore: string[] = [];
    for (let at = 0; at < TAKES; at += 20) {
      const some = held.slice(at, at + 20).map((take) => ask(requestFor(take, { attemptId: randomUUID() })));
      // As soon as some are told, and others are under way.
      while (granted.size < at + 5) await new Promise((resolve) => setImmediate(resolve));
      await server.end('SIGQUIT');
      toldBefore.push(...granted.keys());
      await server.start();
      const stored = await server.query('studio', `SELECT id FROM dailies.attempts`);
      expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining(toldBefore));
      await Promise.all(some);
    }
    expect([...granted.values()].map(({ kind }) => kind)).toEqual(Array.from({ length: TAKES }, () => 'granted'));
    expect(await server.query('studio', 'SELECT count(*)::int AS attempts FROM dailies.attempts')).toEqual([
      { attempts: TAKES },
    ]);
    expect(await server.query('studio', `SELECT takes FROM dailies.usage WHERE scope = 'person'`)).toEqual([
      { takes: TAKES },
    ]);
    // A crash is no restore.
    expect(await anna.heartbeat()).toMatchObject({ isHalted: false });
    await Promise.all([anna.close(), admin.close()]);
    await server.stop();
  });

  it('forgets a hand-over at worst as a whole, and never what a machine has seen', async () => {
    const { server, open, admin } = await studio();
    await admin.join('anna', 'edit', 'edit');
    await admin.join('ben', 'desk', 'desk');
    const [anna, ben] = await Promise.all([open('edit'), open('desk')]);
    await anna.enqueue(batchOf(), takesOf(TAKES));
    await admin.setRate(ACCOUNT.name, unlimited);
    let seen = 0;
    for (let round = 0; round < 6; round += 1) {
      const held = await anna.takeNext(['nas'], [ACCOUNT], 3);
      const [last] = (await ben.changesSince(seen)).slice(-1);
      seen = last?.sequence ?? seen;
      const isSeen = round % 2 === 0;
      const unseen = isSeen ? [] : await anna.takeNext(['nas'], [ACCOUNT], 3);
      await server.end('SIGQUIT');
      await server.start();
      const owned = await server.query('studio', `SELECT id FROM dailies.takes WHERE machine = 'edit'`);
      expect(owned.map(({ id }) => id)).toEqual(expect.arrayContaining(held.map(({ id }) => id)));
      for (const take of unseen) {
        const { kind } = await granted(anna, take);
        expect(kind).toBe(owned.some(({ id }) => id === take.id) ? 'granted' : 'refused');
      }
      expect(await beat(ben)).toMatchObject({ isHalted: false });
    }
    const [row] = await server.query(
      'studio',
      `SELECT count(*)::int AS lost FROM dailies.takes t WHERE state = 'waiting'
      AND NOT EXISTS (SELECT FROM dailies_boss.job j WHERE j.id = t.id)`,
    );
    expect(row).toEqual({ lost: 0 });
    await Promise.all([anna.close(), ben.close(), admin.close()]);
    await server.stop();
  });
});

async function studio() {
  const server = await startPostgres({ isDurable: true });
  await server.query('postgres', 'CREATE DATABASE studio');
  const { address } = parseStudioUrl(server.url('studio'));
  await initStudio({ address, password: null, name: 'test' }, 'UTC');
  const open = (machine: string | null) =>
    connectStudio({
      ...{ address, password: null, logger: new MemoryLog(), seen: NOTHING_SEEN },
      machine: machine === null ? null : { name: machine, instance: machine },
    });
  return { server, open, admin: await open(null) };
}

type Database = Awaited<ReturnType<typeof connectStudio>>;

const beat = (machine: Database) => untilThere(() => machine.heartbeat());

const granted = (machine: Database, take: Parameters<typeof requestFor>[0]) => {
  const request = requestFor(take, { attemptId: randomUUID() });
  return untilThere(() => machine.grant(request));
};

async function untilThere<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if ((error as { isAway?: boolean }).isAway !== true) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
