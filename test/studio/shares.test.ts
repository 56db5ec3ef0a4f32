import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StudioDatabase } from '../../src/studio/database.ts';
import { ACCOUNT, batchOf, hasPostgres, newStudio, takesOf, type TestStudio, unlimited } from '../support/studio.ts';

describe.runIf(hasPostgres)('the queue of a studio', () => {
  let studio: TestStudio;
  let machines: Record<'anna' | 'ben' | 'cleo', StudioDatabase>;
  beforeEach(async () => {
    studio = await newStudio();
    const [anna, ben, cleo] = await Promise.all(['anna', 'ben', 'cleo'].map((login) => studio.machine(login)));
    machines = { anna, ben, cleo } as typeof machines;
  });
  afterEach(() => studio.close());

  /** Whose takes are handed out next, in order. */
  async function handedOut(count: number): Promise<string[]> {
    const people: string[] = [];
    for (let left = count; left > 0; left -= 5) {
      people.push(...(await machines.anna.takeNext(['nas'], [ACCOUNT], Math.min(5, left))).map(({ person }) => person));
    }
    return people;
  }
  const shares = (people: readonly string[]) => {
    const counts = { anna: 0, ben: 0, cleo: 0 };
    for (const person of people as (keyof typeof counts)[]) counts[person] += 1;
    return counts;
  };
  async function send(person: keyof typeof machines, count: number, batch: string = person, priority = 0) {
    await machines[person].enqueue(batchOf(batch, person), takesOf(count, { priority }));
    await studio.admin.setRate(ACCOUNT.name, unlimited);
  }

  it('shares by turns, however many takes each person sent and who was first', async () => {
    await send('anna', 200);
    await send('ben', 60);
    await send('cleo', 60);
    expect(shares(await handedOut(90))).toEqual({ anna: 30, ben: 30, cleo: 30 });
    // Who comes later begins at the present turn: owed nothing, and not last.
    await send('ben', 40, 'more');
    const { anna, ben, cleo } = shares(await handedOut(60));
    for (const share of [anna, ben, cleo]) expect(Math.abs(share - 20)).toBeLessThanOrEqual(4);
  });

  it('shares by weight, also of takes that wait already', async () => {
    await send('anna', 100);
    await send('ben', 100);
    await send('cleo', 100);
    await studio.admin.setWeight('ben', 2);
    const { anna, ben, cleo } = shares(await handedOut(80));
    expect(Math.abs(ben - 40)).toBeLessThanOrEqual(4);
    expect(Math.abs(anna - 20)).toBeLessThanOrEqual(4);
    expect(Math.abs(cleo - 20)).toBeLessThanOrEqual(4);
  });

  it('gives a turn that nobody takes to the others, and owes nothing for it', async () => {
    await send('anna', 60);
    expect(shares(await handedOut(40))).toMatchObject({ anna: 40 });
    await send('ben', 60);
    const people = await handedOut(20);
    expect(Math.abs(shares(people).anna - 10)).toBeLessThanOrEqual(2);
  });

  it('puts a higher priority first among the takes of its person only', async () => {
    await send('anna', 4);
    await send('ben', 4);
    await machines.anna.enqueue(batchOf('urgent', 'anna'), takesOf(2, { priority: 5, model: 'urgent' }));
    const models = (await machines.ben.takeNext(['nas'], [ACCOUNT], 10)).map(
      ({ person, model }) => `${person} ${model}`,
    );
    expect(models.slice(0, 4).filter((each) => each.startsWith('ben'))).toHaveLength(2);
    expect(models.filter((each) => each.startsWith('anna'))).toEqual([
      ...['anna urgent', 'anna urgent', 'anna m1', 'anna m1', 'anna m1', 'anna m1'],
    ]);
  });

  it('follows a priority that is changed while takes wait, and a hold', async () => {
    const takes = takesOf(4);
    await machines.anna.enqueue(batchOf(), takes);
    const ids = takes.map(({ id }) => id);
    await machines.anna.command([ids[3] ?? ''], { kind: 'priority', priority: 1 });
    await machines.anna.command([ids[0] ?? ''], { kind: 'hold' });
    const handed = await machines.ben.takeNext(['nas'], [ACCOUNT], 10);
    expect(handed.map(({ id }) => id)).toEqual([ids[3], ids[1], ids[2]]);
    await machines.anna.command([ids[0] ?? ''], { kind: 'resume' });
    expect((await machines.ben.takeNext(['nas'], [ACCOUNT], 10)).map(({ id }) => id)).toEqual([ids[0]]);
    expect(await machines.ben.sweep()).toEqual({ returned: 0, requeued: 0 });
  });
});
