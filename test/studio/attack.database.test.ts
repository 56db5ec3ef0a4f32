import { inject } from 'vitest';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StudioDatabase } from '../../src/studio/database.ts';
import type { HeldTake, StudioKnowledge } from '../../src/studio/types.ts';
import {
  ACCOUNT,
  batchOf,
  hasPostgres,
  newStudio,
  requestFor,
  takesOf,
  teller,
  type TestStudio,
  unlimited,
} from '../support/studio.ts';

describe.runIf(hasPostgres)('attacks on the database of a studio @night', () => {
  let studio: TestStudio;
  let anna: StudioDatabase;
  let ben: StudioDatabase;
  beforeEach(async () => {
    studio = await newStudio();
    anna = await studio.machine('anna');
    ben = await studio.machine('ben');
  });
  afterEach(() => studio.close());

  const states = async () => (await studio.admin.status()).takes;
  const next = async (machine: StudioDatabase, count: number) => machine.takeNext(['nas'], [ACCOUNT], count);
  async function held(machine: StudioDatabase, count: number): Promise<HeldTake[]> {
    await anna.enqueue(batchOf(), takesOf(count));
    await studio.admin.setRate(ACCOUNT.name, unlimited);
    return [...(await next(machine, count))];
  }
  const halt = async (): Promise<void> => {
    await studio.query(`UPDATE dailies.studio SET halted_at = now(), generation = generation + 1`);
  };
  const session = async (login: string): Promise<Client> => {
    const { folder, port } = inject('postgres') as { folder: string; port: number };
    const client = new Client({ host: folder, port, database: studio.database, user: login });
    await client.connect();
    return client;
  };

  describe('by a COMMIT that comes late', () => {
    it('a right that was said to be unused is not given afterwards', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      const request = requestFor(take);
      // The machine got no answer and says so; only then does the database get to the request.
      await teller(anna)(take, { kind: 'not_sent', attemptId: request.attemptId });
      expect(await anna.grant(request)).toMatchObject({ kind: 'refused' });
      // Otherwise nobody ever ends it, and the take waits for ever.
      expect(await anna.grant(requestFor(take))).toMatchObject({ kind: 'granted' });
    });
  });

  describe('by what is told while takes are handed out', () => {
    it('the task that a person found comes with the take', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      const request = requestFor(take);
      await anna.grant(request);
      await teller(anna)(take, { kind: 'unclear', attemptId: request.attemptId });
      await studio.admin.declareDead("anna's");
      const person = await session('postgres');
      await person.query('BEGIN');
      // The machine that adopts it waits here, with what it saw before.
      await person.query('LOCK TABLE dailies.machines IN ACCESS EXCLUSIVE MODE');
      await person.query(`UPDATE dailies.attempts SET state = 'open', task_id = 'task-1'`);
      await person.query(`UPDATE dailies.takes SET state = 'sent', machine = NULL`);
      const adopting = ben.adoptSent(['nas'], [ACCOUNT], 1);
      await expect
        .poll(() =>
          studio.query(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'dailies.machines'::regclass`),
        )
        .toHaveLength(1);
      await person.query('COMMIT');
      await person.end();
      expect(await adopting).toMatchObject([{ sent: { taskId: 'task-1' } }]);
    });
  });

  describe('by two data folders of one machine', () => {
    it('what the second one says is not taken for what the first one said', async () => {
      const [one, two] = (await held(anna, 2)) as [HeldTake, HeldTake];
      const copy = await studio.open('anna', "anna's").catch(() => null);
      const [first, second] = [requestFor(one), requestFor(two)];
      await anna.grant(first);
      await copy?.grant(second);
      await teller(anna)(one, { kind: 'accepted', attemptId: first.attemptId, taskId: 'task-1' });
      if (copy) await teller(copy)(two, { kind: 'accepted', attemptId: second.attemptId, taskId: 'task-2' });
      expect(await studio.query(`SELECT task_id FROM dailies.attempts WHERE task_id IS NULL`)).toEqual([]);
    });

    it('a zombie under the name of the machine that replaced it tells nothing', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      await studio.admin.declareDead("anna's");
      const visitor = await studio.open('anna', null);
      await visitor.join('anna', "anna's", 'a new folder');
      // The old process still has its connections.
      await anna
        .report([{ sequence: 999, takeId: take.id, epoch: take.epoch, at: 0, kind: 'released' }])
        .catch(() => 0);
      expect(await studio.query(`SELECT facts FROM dailies.machines WHERE name = 'anna''s'`)).toEqual([{ facts: '0' }]);
    });
  });

  describe('by texts that jsonb cannot hold', () => {
    for (const [what, text] of [
      ['a zero character', 'a\u0000b'],
      ['half of an emoji', '🎬'.slice(0, 1)],
    ] as const) {
      it(`${what} in an answer does not keep back all that the machine says`, async () => {
        const [take] = (await held(anna, 1)) as [HeldTake];
        const request = requestFor(take);
        await anna.grant(request);
        const detail = { failure: text };
        const told = teller(anna)(take, { kind: 'failed', attemptId: request.attemptId, isCharged: true, detail });
        expect(await told.catch((error: Error) => error)).toBe(1);
      });

      it(`${what} in a prompt does not keep a list from the queue`, async () => {
        expect(await anna.enqueue(batchOf(), takesOf(1, { spec: { prompt: text } }))).toEqual({ queued: 1 });
      });
    }
  });

  it('a notice of another program ends no process', async () => {
    const thrown: unknown[] = [];
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.on('uncaughtException', (error) => thrown.push(error));
    try {
      await ben.listen(() => undefined);
      await studio.query(`NOTIFY dailies, 'boo'`, [], 'anna');
      await new Promise((resolve) => setTimeout(resolve, 300));
    } finally {
      process.removeAllListeners('uncaughtException');
      for (const listener of before) process.on('uncaughtException', listener);
    }
    expect(thrown).toEqual([]);
  });

  describe('on caps', () => {
    it('nobody but its person changes the cap of a batch', async () => {
      await anna.enqueue(batchOf(), takesOf(2), { takes: 1, micros: null });
      await ben.enqueue(batchOf(), takesOf(1), { takes: null, micros: null }).catch(() => null);
      expect(await studio.query(`SELECT max_takes FROM dailies.budgets`)).toEqual([{ max_takes: 1 }]);
    });

    it('nobody leaves their own cap by another name', async () => {
      await studio.admin.setBudget({ scope: 'person', name: 'ben' }, { takes: 0 });
      const visitor = await studio.open('ben', null);
      await visitor.join('ben again', 'another', 'x').catch(() => null);
      expect(await studio.query(`SELECT name FROM dailies.people WHERE login = 'ben'`)).toEqual([{ name: 'ben' }]);
    });

    it('a machine with other prices does not pass a cap on money', async () => {
      await studio.admin.setBudget({ scope: 'night' }, { micros: 1500 });
      const takes = await held(anna, 3);
      const answers = [];
      for (const take of takes) answers.push((await anna.grant(requestFor(take, { priceMicros: 0 }))).kind);
      expect(answers.filter((kind) => kind === 'granted').length).toBeLessThanOrEqual(1);
    });

    it('what was given back is not given back again', async () => {
      const [one, two] = (await held(anna, 2)) as [HeldTake, HeldTake];
      const [first, second] = [requestFor(one), requestFor(two)];
      await anna.grant(first);
      await anna.grant(second);
      const tell = teller(anna);
      await tell(two, { kind: 'not_sent', attemptId: second.attemptId });
      await tell(two, { kind: 'saved', attemptId: second.attemptId, priceMicros: 0, detail: null });
      expect(await studio.query(`SELECT takes, micros FROM dailies.usage WHERE scope = 'night'`)).toEqual([
        { takes: 1, micros: '1000' },
      ]);
    });
  });

  describe('when what was lost is told', () => {
    const known = (takes: ReturnType<typeof takesOf>, more: StudioKnowledge['takes'] = []): StudioKnowledge => ({
      batches: [{ batch: batchOf(), person: 'anna', takes }],
      takes: more,
    });

    it("Anna's takes stay hers, whichever machine worked on them", async () => {
      const takes = takesOf(1);
      await halt();
      await ben.tell(known(takes));
      expect(await studio.query('SELECT person FROM dailies.takes')).toEqual([{ person: 'anna' }]);
    });

    it('nobody says anything of a take that another machine has sent', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      const request = requestFor(take);
      await anna.grant(request);
      await teller(anna)(take, { kind: 'accepted', attemptId: request.attemptId, taskId: 'task-1' });
      await halt();
      await ben.tell({
        batches: [],
        takes: [{ takeId: take.id, epoch: 99, attempt: null, state: 'done', outcome: 'failed' }],
      });
      expect(await states()).toMatchObject({ sent: 1, done: 0 });
    });

    it('a take that came back unsent after the backup can be sent', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      await anna.grant(requestFor(take));
      await halt();
      await anna.tell(known([], [{ takeId: take.id, epoch: take.epoch, attempt: null, state: 'held', outcome: null }]));
      await ben.tell({ batches: [], takes: [] });
      expect(await studio.admin.reconcile()).toEqual({ missing: [] });
      expect(await anna.grant(requestFor(take)).catch((error: Error) => error)).toMatchObject({ kind: 'granted' });
    });

    it('a task that was found after the backup can be followed by others', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      const request = requestFor(take);
      await anna.grant(request);
      await teller(anna)(take, { kind: 'unclear', attemptId: request.attemptId });
      await halt();
      const attempt = { ...request, taskId: 'task-1', isOpen: true };
      await anna.tell(known([], [{ takeId: take.id, epoch: take.epoch, attempt, state: 'sent', outcome: null }]));
      await ben.tell({ batches: [], takes: [] });
      expect(await studio.admin.reconcile()).toEqual({ missing: [] });
      await studio.admin.declareDead("anna's");
      expect(await ben.adoptSent(['nas'], [ACCOUNT], 1)).toMatchObject([{ sent: { taskId: 'task-1' } }]);
    });
  });

  describe('when what was lost is told by another one', () => {
    const told = (take: { id: string }, more: Partial<StudioKnowledge['takes'][number]>): StudioKnowledge => ({
      batches: [],
      takes: [{ takeId: take.id, epoch: 0, attempt: null, state: 'held', outcome: null, ...more }],
    });
    const sent = (take: HeldTake) => ({ ...requestFor(take), taskId: null, isOpen: true });

    it('a request that nobody knows of leaves its take to a person, whatever the epoch', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      await halt();
      // Anna's machine died in its request, and was given up.
      await studio.admin.declareDead("anna's");
      await anna.close();
      const again = await studio.machine('anna');
      await again.tell(told(take, { epoch: take.epoch, attempt: sent(take), state: 'unclear' }));
      expect(await states()).toMatchObject({ unclear: 1, waiting: 0 });
      expect(await studio.query(`SELECT takes FROM dailies.usage WHERE scope = 'night'`)).toEqual([{ takes: 1 }]);
      expect(await studio.query('SELECT in_flight FROM dailies.accounts')).toEqual([{ in_flight: 0 }]);
    });

    it('a take that another machine holds is at most unclear', async () => {
      const [take] = (await held(anna, 1)) as [HeldTake];
      await halt();
      await ben.tell(told(take, { epoch: 99, attempt: sent(take), state: 'done', outcome: 'failed' }));
      expect(await states()).toMatchObject({ unclear: 1, done: 0 });
    });

    it('a take that was cancelled, or was on hold, is not sent', async () => {
      const takes = takesOf(2);
      await anna.enqueue(batchOf(), takes);
      const [one, two] = takes as [(typeof takes)[0], (typeof takes)[0]];
      await halt();
      await ben.tell({
        ...told(one, { state: 'cancelled' }),
        batches: [{ batch: batchOf(), person: 'anna', takes: [{ ...two, isHeld: true }] }],
      });
      await anna.tell({ batches: [], takes: [] });
      expect(await studio.admin.reconcile()).toEqual({ missing: [] });
      expect(await next(ben, 5)).toEqual([]);
      expect(await states()).toMatchObject({ cancelled: 1, waiting: 1 });
      expect((await ben.changesSince(0)).filter(({ isOnHold }) => isOnHold)).toMatchObject([{ takeId: two.id }]);
    });

    it('the cap of a list is there again', async () => {
      await halt();
      await ben.tell({
        batches: [{ batch: batchOf(), budget: { takes: 2, micros: null }, takes: takesOf(3) }],
        takes: [],
      });
      await anna.tell({ batches: [{ batch: batchOf(), budget: { takes: 5, micros: 10 }, takes: [] }], takes: [] });
      expect(await studio.query(`SELECT max_takes, max_micros FROM dailies.budgets`)).toEqual([
        { max_takes: 2, max_micros: '10' },
      ]);
    });
  });

  it('a list that two people hand over is made once', async () => {
    const spec = { batch: { folder: 'Day 1' }, take: 1, round: 0 };
    const [first, second] = [takesOf(2, { spec }), takesOf(3, { spec })];
    expect(await anna.enqueue(batchOf('one'), first)).toEqual({ queued: 2 });
    expect(await ben.enqueue(batchOf('two'), second)).toEqual({
      queued: 1,
      leftOut: second.slice(0, 2).map(({ id }) => id),
    });
  });

  it('the lowest cap that machines have for a folder holds for all', async () => {
    const { project } = batchOf();
    await anna.claimProject(project, { takes: 3, micros: null });
    await ben.claimProject(project, { takes: 9, micros: 500 });
    await ben.claimProject(project);
    expect(await anna.budgets()).toMatchObject([{ scope: 'project', limit: { takes: 3, micros: 500 } }]);
  });

  it('a list at its cap, and a project that is left alone, stop no other', async () => {
    await anna.enqueue(batchOf('full'), takesOf(30), { takes: 0, micros: null });
    await anna.enqueue(batchOf('away', 'away'), takesOf(30));
    await anna.enqueue(batchOf('last', 'last'), takesOf(1));
    const batches = async (except: string[]) =>
      (await ben.takeNext(['nas'], [ACCOUNT], 5, except)).map(({ batch }) => batch.name);
    expect(await batches(['project-away'])).toEqual(['last']);
    expect(new Set(await batches([]))).toEqual(new Set(['away']));
    await anna.enqueue(batchOf('full'), [], { takes: 4, micros: null });
    expect(await batches(['project-away'])).toEqual(Array.from({ length: 5 }, () => 'full'));
  });

  it('a data folder that forgot what it said is told', async () => {
    const [take] = (await held(anna, 1)) as [HeldTake];
    await teller(anna)(take, { kind: 'note', detail: 1 });
    await anna.close();
    expect((await studio.open('anna', "anna's")).seen.facts).toBe(1);
  });

  it('no machine halts everybody by what it says it saw', async () => {
    const seen = `{"studio": "${(anna.seen.studio ?? '').split('/')[0] ?? ''}/2147483646"}`;
    await studio.query(`SELECT dailies.hello(NULL, NULL, '${seen}')`, [], 'cleo').catch(() => null);
    expect(await studio.query('SELECT generation, halted_at FROM dailies.studio')).toEqual([
      { generation: 1, halted_at: null },
    ]);
  });

  it('no machine ends all sending by what it tells', async () => {
    const [take] = (await held(anna, 1)) as [HeldTake];
    await halt();
    const known = { takeId: take.id, epoch: take.epoch, attempt: null, state: 'held', outcome: null } as const;
    await anna.tell({ batches: [], takes: [known] });
    await studio.query(
      `SELECT dailies.tell('ben''s', '{"grants": 9223372036854775807, "facts": 0}', '{"batches": [], "takes": []}')`,
      [],
      'ben',
    );
    expect(await studio.admin.reconcile()).toEqual({ missing: [] });
    expect(await anna.grant(requestFor(take)).catch((error: Error) => error)).toMatchObject({ kind: 'granted' });
  });

  it('a machine that knows accounts by number gets none of another account', async () => {
    await held(anna, 1);
    await next(anna, 1);
    const other = { name: 'another client', address: ACCOUNT.address };
    // A restored database gives new numbers to those that it did not know yet.
    await studio.query(`UPDATE dailies.accounts SET name = 'another client'`);
    await anna.enqueue(batchOf(), takesOf(1, { account: other }));
    expect((await next(anna, 5)).map(({ account }) => account.name)).toEqual([]);
  });

  it('a transaction that a login leaves open hides nothing of others', async () => {
    const idle = await session('ben');
    await idle.query('BEGIN');
    await idle.query('SELECT pg_current_xact_id()');
    try {
      await anna.enqueue(batchOf(), takesOf(1));
      expect(await ben.changesSince(0)).toHaveLength(1);
    } finally {
      await idle.end();
    }
  });

  it('a lock that a login keeps does not stop the sweep', async () => {
    await anna.enqueue(batchOf(), takesOf(3));
    await studio.query('DELETE FROM dailies_boss.job');
    const idle = await session('cleo');
    await idle.query(`SELECT pg_advisory_lock(hashtext('dailies.sweep'))`);
    try {
      expect(await ben.sweep()).toEqual({ returned: 0, requeued: 3 });
    } finally {
      await idle.end();
    }
  });

  it('a transaction that a login leaves open stops nobody from sending', async () => {
    const [take] = (await held(anna, 1)) as [HeldTake];
    const idle = await session('ben');
    await idle.query('BEGIN');
    await idle.query(`SELECT dailies.throttled('ben''s', 1, NULL, 1000, false)`);
    try {
      expect(await anna.grant(requestFor(take)).catch((error: Error) => error)).toHaveProperty('kind');
    } finally {
      await idle.end();
    }
  }, 30_000);

  it('a member with nothing under way does not close an account for a day', async () => {
    const [take] = (await held(anna, 1)) as [HeldTake];
    await ben.throttled({ account: ACCOUNT, model: null, retryAfterMs: 86_400_000, isCount: false }).catch(() => null);
    expect(await anna.grant(requestFor(take))).toMatchObject({ kind: 'granted' });
  });

  it('no machine reserves all polls of an account that others follow takes of', async () => {
    await held(anna, 1);
    await studio.admin.setRate(ACCOUNT.name, { submits: 1000, polls: 4, uploads: 4 });
    await ben.reserveSlots(ACCOUNT, 'poll', 1000);
    expect((await anna.reserveSlots(ACCOUNT, 'poll', 4)).count).toBeGreaterThan(0);
  });

  it('no machine is handed more than it can make', async () => {
    await anna.enqueue(batchOf(), takesOf(300));
    expect((await next(ben, 1_000_000)).length).toBeLessThan(300);
  });

  it('a priority beyond 31 bits does not refuse a list', async () => {
    expect(await anna.enqueue(batchOf(), takesOf(1, { priority: 3_000_000_000 }))).toEqual({ queued: 1 });
  });

  it('a path that leads out of its root is refused', async () => {
    const batch = { ...batchOf(), project: { ...batchOf().project, path: '../../etc' } };
    await expect(anna.enqueue(batch, takesOf(1))).rejects.toThrow();
  });

  it('nobody takes a name in the moment in which another one joins with it', async () => {
    const [mine, theirs] = [await session('cleo'), await session('ben')];
    try {
      await mine.query('BEGIN');
      await mine.query(`SELECT dailies.join_studio('cleo', 'new', 'of cleo')`);
      const taking = theirs.query(`SELECT dailies.join_studio('ben', 'new', 'of ben')`).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await mine.query('COMMIT');
      await taking;
      expect(await studio.query(`SELECT login FROM dailies.machines WHERE name = 'new'`)).toEqual([{ login: 'cleo' }]);
    } finally {
      await Promise.all([mine.end(), theirs.end()]);
    }
  });

  it('an attempt of a take that failed otherwise is not counted for ever', async () => {
    const [take] = (await held(anna, 1)) as [HeldTake];
    await anna.grant(requestFor(take));
    await teller(anna)(take, { kind: 'failed', attemptId: null, isCharged: false, detail: null });
    expect(await studio.query('SELECT in_flight FROM dailies.accounts')).toEqual([{ in_flight: 0 }]);
  });
});
