import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StudioDatabase } from '../../src/studio/database.ts';
import type { HeldTake, StudioKnowledge } from '../../src/studio/types.ts';
import {
  ACCOUNT,
  batchOf,
  cuttableWay,
  hasPostgres,
  newStudio,
  requestFor,
  takesOf,
  teller,
  type TestStudio,
  unlimited,
} from '../support/studio.ts';

describe.runIf(hasPostgres)('machines of a studio', () => {
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
  async function queue(count: number): Promise<void> {
    await anna.enqueue(batchOf(), takesOf(count));
    await studio.admin.setRate(ACCOUNT.name, unlimited);
  }

  /** Anna's machine holds one take, has the right for one and has sent one. */
  async function atWork() {
    await queue(3);
    const [held, granted, sent] = (await next(anna, 3)) as [HeldTake, HeldTake, HeldTake];
    const [unreported, request] = [requestFor(granted), requestFor(sent)];
    await anna.grant(unreported);
    await anna.grant(request);
    const tell = teller(anna);
    await tell(sent, { kind: 'accepted', attemptId: request.attemptId, taskId: 'task-1' });
    return { held, granted, sent, unreported, request, tell };
  }

  it('hand each take to one of them only', async () => {
    await queue(40);
    const handed = (await Promise.all([anna, ben, anna, ben].map((each) => next(each, 15)))).flat();
    expect(handed).toHaveLength(40);
    expect(new Set(handed.map(({ id }) => id)).size).toBe(40);
  });

  describe('that are declared dead', () => {
    it('lose unsent takes to the queue, sent ones to the others, and the rest to a person', async () => {
      const { held, granted, sent, request } = await atWork();
      expect(await studio.admin.declareDead("anna's")).toEqual({ returned: 1, unclear: 1, adoptable: 1 });
      expect(await states()).toMatchObject({ waiting: 1, unclear: 1, sent: 1 });
      expect((await next(ben, 5)).map(({ id }) => id)).toEqual([held.id]);
      const adopted = await ben.adoptSent(['nas'], [ACCOUNT], 5);
      expect(adopted).toMatchObject([{ id: sent.id, sent: { attemptId: request.attemptId, taskId: 'task-1' } }]);
      expect(await ben.adoptSent(['nas'], [ACCOUNT], 5)).toEqual([]);
      expect(await ben.command([granted.id], { kind: 'retry' })).toBe(0);
      await teller(ben)(adopted[0] as HeldTake, {
        ...{ kind: 'saved', attemptId: request.attemptId, priceMicros: null, detail: { file: 'a.mp4' } },
      });
      expect(await states()).toMatchObject({ held: 1, unclear: 1, done: 1 });
    });

    it('publish nothing and get no right, even while they still run', async () => {
      const { held, granted, sent, request, tell } = await atWork();
      await studio.admin.declareDead("anna's");
      expect(await anna.grant(requestFor(held))).toMatchObject({ why: 'fenced' });
      await expect(next(anna, 1)).rejects.toMatchObject({ code: 'studio_fenced' });
      const beat = await anna.heartbeat();
      expect(beat).toMatchObject({ isFenced: true });
      expect([held, granted, sent].map(({ id }) => beat.owned.get(id))).toEqual([undefined, undefined, undefined]);
      await tell(sent, { kind: 'saved', attemptId: request.attemptId, priceMicros: null, detail: null });
      expect(await states()).toMatchObject({ sent: 1, done: 0 });
    });

    it('still settle a request that nobody else knows the end of', async () => {
      const { granted, unreported, tell } = await atWork();
      await studio.admin.declareDead("anna's");
      await tell(granted, { kind: 'accepted', attemptId: unreported.attemptId, taskId: 'task-2' });
      expect(await states()).toMatchObject({ unclear: 0, sent: 2 });
      expect((await ben.adoptSent(['nas'], [ACCOUNT], 5)).map((each) => each.sent?.taskId).sort()).toEqual([
        ...['task-1', 'task-2'],
      ]);
    });

    it('join again, and work with what they get from then on', async () => {
      const { held } = await atWork();
      await studio.admin.declareDead("anna's");
      await anna.close();
      const again = await studio.machine('anna');
      const [handed] = (await next(again, 1)) as [HeldTake];
      expect(handed.id).toBe(held.id);
      expect(await again.grant(requestFor(held))).toMatchObject({ why: 'not_owner' });
      expect(await again.grant(requestFor(handed))).toMatchObject({ kind: 'granted' });
    });
  });

  it('need a person for an unclear take: it is sent again and counted twice, or given up', async () => {
    await queue(2);
    const takes = (await next(anna, 2)) as [HeldTake, HeldTake];
    const tell = teller(anna);
    for (const take of takes) {
      const request = requestFor(take);
      await anna.grant(request);
      await tell(take, { kind: 'unclear', attemptId: request.attemptId });
    }
    expect(await anna.command([takes[0].id], { kind: 'retry' })).toBe(1);
    expect(await anna.command([takes[1].id], { kind: 'cancel' })).toBe(1);
    expect(await states()).toMatchObject({ waiting: 1, cancelled: 1, unclear: 0 });
    const [again] = (await next(ben, 5)) as [HeldTake];
    expect(await ben.grant(requestFor(again))).toMatchObject({ kind: 'granted' });
    expect(await studio.query(`SELECT takes FROM dailies.usage WHERE scope = 'person'`)).toEqual([{ takes: 3 }]);
  });

  it('follow a task that a person found for an unclear take, one each, and count it once', async () => {
    await queue(2);
    const takes = (await next(anna, 2)) as [HeldTake, HeldTake];
    const attach = ({ id }: HeldTake) => anna.command([id], { kind: 'attach', taskId: 'task-1' });
    expect(await attach(takes[0])).toBe(0);
    const tell = teller(anna);
    for (const take of takes) {
      const request = requestFor(take);
      await anna.grant(request);
      await tell(take, { kind: 'unclear', attemptId: request.attemptId });
    }
    expect(await attach(takes[0])).toBe(1);
    expect(await attach(takes[1])).toBe(0);
    expect(await states()).toMatchObject({ sent: 1, unclear: 1 });
    const [adopted] = await ben.adoptSent(['nas'], [ACCOUNT], 5);
    expect(adopted?.sent).toMatchObject({ taskId: 'task-1', isAttached: true });
    expect(await studio.query(`SELECT takes FROM dailies.usage WHERE scope = 'person'`)).toEqual([{ takes: 2 }]);
  });

  it('that are silent for a minute lose what they have not sent, and nothing else', async () => {
    const { held } = await atWork();
    expect(await ben.sweep()).toEqual({ returned: 0, requeued: 0 });
    await studio.query(`UPDATE dailies.beats SET seen_at = now() - interval '61 seconds' WHERE machine = 'anna''s'`);
    expect(await ben.sweep()).toEqual({ returned: 1, requeued: 0 });
    expect(await anna.grant(requestFor(held))).toMatchObject({ why: 'not_owner' });
    expect(await states()).toMatchObject({ waiting: 1, granted: 1, sent: 1 });
  });

  it('get back what pg-boss forgot', async () => {
    await queue(3);
    await studio.query('DELETE FROM dailies_boss.job');
    expect(await next(ben, 5)).toEqual([]);
    expect(await ben.sweep()).toEqual({ returned: 0, requeued: 3 });
    expect(await next(ben, 5)).toHaveLength(3);
  });

  it('elect one writer for the shared files of a project, and another when it is gone', async () => {
    const { project } = batchOf();
    expect(await anna.claimProject(project)).toMatchObject({ isWriter: true, epoch: 1 });
    expect(await ben.claimProject(project)).toMatchObject({ isWriter: false, writer: "anna's", epoch: 1 });
    await studio.admin.declareDead("anna's");
    expect(await ben.claimProject(project)).toMatchObject({ isWriter: true, epoch: 2 });
    await expect(ben.claimProject({ ...project, id: 'copy' })).rejects.toMatchObject({ code: 'studio_project_copy' });
    await expect(ben.claimProject({ ...project, path: 'b' })).rejects.toMatchObject({ code: 'studio_project_moved' });
  });

  it('see what others do, each change once', async () => {
    const { sent, request, tell } = await atWork();
    const read = (after: number, projects?: string[]) => ben.changesSince(after, projects, 1000);
    // Changes wait for older transactions anywhere on the server, such as those of the tests beside this one.
    const seen = async (after: number) => (await read(after)).map(({ state }) => state).sort();
    await expect.poll(() => seen(0)).toEqual(['granted', 'held', 'sent']);
    const all = await read(0);
    const last = Math.max(...all.map(({ sequence }) => sequence));
    expect(await read(last)).toEqual([]);
    await tell(sent, { kind: 'saved', attemptId: request.attemptId, priceMicros: null, detail: { file: 'a.mp4' } });
    await expect.poll(() => seen(last)).toEqual(['done']);
    const [change, ...more] = await read(last, ['project-film']);
    expect(change).toMatchObject({ takeId: sent.id, state: 'done', outcome: 'saved', detail: { file: 'a.mp4' } });
    expect([...more, ...(await read(last, ['project-other']))]).toEqual([]);
  });

  it('are told at once of work and of commands, also after the connection was cut', async () => {
    const way = await cuttableWay();
    const address = { ...studio.addressFor('ben'), host: '127.0.0.1', port: way.port };
    await ben.close();
    const far = await studio.open('ben', "ben's", { address });
    const notices: string[] = [];
    let heard = (): void => undefined;
    const hear = (kind: string) =>
      new Promise<void>((resolve) => {
        heard = () => notices.includes(kind) && resolve();
        heard();
      });
    await far.listen(({ kind }) => {
      notices.push(kind);
      heard();
    });
    await queue(1);
    await hear('work');
    way.cutAll();
    await hear('reconnected');
    const [take] = (await next(far, 1)) as [HeldTake];
    await anna.command([take.id], { kind: 'cancel' });
    await hear('commands');
    await far.close();
    await way.close();
  });

  it('cannot use the name of another one, nor a person that of another', async () => {
    const visitor = await studio.open('cleo', null);
    await expect(visitor.join('anna', "cleo's", 'c')).rejects.toMatchObject({ code: 'studio_person_taken' });
    await expect(visitor.join('cleo', "anna's", 'c')).rejects.toMatchObject({ code: 'studio_machine_taken' });
    await expect(studio.open('cleo', "anna's")).rejects.toMatchObject({ code: 'studio_not_joined' });
    await expect(studio.open('cleo', 'nobody')).rejects.toMatchObject({ code: 'studio_not_joined' });
  });

  describe('of a database that was restored', () => {
    /** As if the last backup were from before what `work` does. */
    async function restoredAfter(work: () => Promise<void>): Promise<void> {
      const tables = ['takes', 'attempts', 'usage', 'machines', 'accounts', 'models'];
      for (const table of tables) await studio.query(`CREATE TABLE kept_${table} AS TABLE dailies.${table}`);
      await work();
      await studio.query(`TRUNCATE dailies.attempts, dailies.takes, dailies.usage, dailies.models`);
      for (const table of tables.filter((each) => !['machines', 'accounts'].includes(each))) {
        await studio.query(`INSERT INTO dailies.${table} OVERRIDING SYSTEM VALUE TABLE kept_${table}`);
      }
      await studio.query('UPDATE dailies.machines m SET facts = k.facts FROM kept_machines k WHERE k.name = m.name');
      await studio.query(
        'UPDATE dailies.accounts a SET in_flight = k.in_flight FROM kept_accounts k WHERE k.id = a.id',
      );
    }

    it('notice it by what they saw, send nothing until all have told, and then double nothing', async () => {
      await queue(2);
      const known: { held?: HeldTake; attemptId?: string } = {};
      await restoredAfter(async () => {
        const [take] = (await next(anna, 1)) as [HeldTake];
        const request = requestFor(take);
        await anna.grant(request);
        await teller(anna)(take, { kind: 'accepted', attemptId: request.attemptId, taskId: 'task-9' });
        Object.assign(known, { held: take, attemptId: request.attemptId });
      });
      const { held, attemptId } = known as Required<typeof known>;
      const seen = { ...anna.seen };
      await anna.close();
      const again = await studio.open('anna', "anna's", { seen });
      expect(again.isHalted).toBe(true);
      await expect(next(ben, 1)).rejects.toMatchObject({ code: 'studio_halted' });
      await expect(ben.enqueue(batchOf('b'), takesOf(1))).rejects.toMatchObject({ code: 'studio_halted' });
      expect(await ben.heartbeat()).toMatchObject({ isHalted: true });

      await ben.tell({ batches: [], takes: [] });
      expect(await studio.admin.reconcile()).toEqual({ missing: ["anna's"] });
      const attempt = { ...requestFor(held), attemptId, taskId: 'task-9', isOpen: true };
      const knowledge: StudioKnowledge = {
        batches: [],
        takes: [{ takeId: held.id, epoch: held.epoch, attempt, state: 'sent', outcome: null }],
      };
      await again.tell(knowledge);
      expect(await studio.admin.reconcile()).toEqual({ missing: [] });
      expect(await states()).toMatchObject({ waiting: 1, sent: 1 });
      expect((await next(ben, 5)).map(({ id }) => id)).not.toContain(held.id);
      expect(await studio.query(`SELECT takes FROM dailies.usage WHERE scope = 'person'`)).toEqual([{ takes: 1 }]);
      await again.heartbeat();
      await again.close();
      const third = await studio.open('anna', "anna's", { seen: again.seen });
      expect(third.isHalted).toBe(false);
    });

    it('hear what a machine that was away has sent before it works again, also after the others went on', async () => {
      await queue(2);
      const known: { held?: HeldTake; attemptId?: string } = {};
      await restoredAfter(async () => {
        const [take] = (await next(anna, 1)) as [HeldTake];
        const request = requestFor(take);
        await anna.grant(request);
        await teller(anna)(take, { kind: 'accepted', attemptId: request.attemptId, taskId: 'task-9' });
        Object.assign(known, { held: take, attemptId: request.attemptId });
      });
      const { held, attemptId } = known as Required<typeof known>;
      await studio.query(`UPDATE dailies.studio SET origin = 'another server'`);
      await studio.open('cleo', null);
      await studio.admin.declareDead("anna's");
      await ben.tell({ batches: [], takes: [] });
      expect(await studio.admin.reconcile()).toEqual({ missing: [] });
      await anna.close();
      const again = await studio.machine('anna');
      expect(again.isHalted).toBe(true);
      await expect(next(again, 1)).rejects.toMatchObject({ code: 'studio_halted' });
      const attempt = { ...requestFor(held), attemptId, taskId: 'task-9', isOpen: true };
      await again.tell({
        batches: [],
        takes: [{ takeId: held.id, epoch: held.epoch, attempt, state: 'sent', outcome: null }],
      });
      expect(await again.heartbeat()).toMatchObject({ isHalted: false });
      expect((await next(ben, 5)).map(({ id }) => id)).not.toContain(held.id);
    });

    it('notice it at the first connection where a dump was loaded elsewhere', async () => {
      await queue(1);
      await studio.query(`UPDATE dailies.studio SET origin = 'another server'`);
      const visitor = await studio.open('cleo', null);
      expect(visitor.isHalted).toBe(true);
      await expect(next(ben, 1)).rejects.toMatchObject({ code: 'studio_halted' });
    });

    it('do not take another studio at the same address for theirs', async () => {
      await studio.query('UPDATE dailies.studio SET id = gen_random_uuid()');
      await expect(studio.open('anna', "anna's", { seen: anna.seen })).rejects.toMatchObject({
        code: 'studio_other_studio',
      });
    });
  });
});
