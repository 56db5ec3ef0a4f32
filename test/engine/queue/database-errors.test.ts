import { afterEach, describe, expect, it } from 'vitest';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
afterEach(() => world.close());

const shots = (count: number) => Array.from({ length: count }, (_, index) => shot(index + 1));

const refuse = (when: string): string =>
  `CREATE TRIGGER broken BEFORE ${when} BEGIN SELECT RAISE(ABORT, 'the disk is broken'); END`;

describe('a database that fails', () => {
  it.each([
    { what: 'the journal is gone', sql: 'DROP TABLE attempts' },
    { what: 'the journal cannot be written', sql: refuse('INSERT ON attempts') },
    { what: 'the intent cannot be written', sql: refuse(`UPDATE ON jobs WHEN NEW.state = 'submitting'`) },
    { what: 'no job can be written', sql: refuse('UPDATE ON jobs') },
    { what: 'the jobs are gone', sql: 'ALTER TABLE jobs RENAME TO elsewhere' },
  ])('sends nothing at all when $what, and says so', async ({ sql }) => {
    world = await World.open();
    await world.start();
    await world.import(shots(3));
    world.sql(sql);
    const settled = await world.settle();
    expect(settled).toMatchObject({ type: 'halted', gate: { reason: 'database', until: null } });
    expect(settled).toMatchObject({ gate: { message: expect.stringContaining('nothing more is sent') } });
    expect(world.service.ledger.received).toBe(0);
    await world.pass(3_600_000);
    expect(world.service.ledger.received).toBe(0);
  });

  it('after a POST leaves it unknown, sends no other, and names the task in the log so that it can be attached', async () => {
    world = await World.open();
    await world.start();
    await world.import(shots(3));
    world.sql(refuse(`UPDATE ON jobs WHEN NEW.state = 'accepted'`));
    expect(await world.settle()).toMatchObject({ type: 'halted', gate: { reason: 'database' } });
    expect(world.posts()).toHaveLength(1);

    await world.stop();
    world.sql('DROP TRIGGER broken');
    await world.start();
    expect(world.engine.recovery.unknownSubmits).toBe(1);
    await world.settle();
    expect(world.counts()).toMatchObject({ unknown: 1, saved: 2 });
    expect(world.service.ledger.commits).toBe(3);

    const unknown = world.jobs().find(({ state }) => state === 'submit_unknown');
    const told = world.log.lines.find((line) => line.includes(unknown?.id ?? '-') && line.includes('"task"'));
    const taskId = /"task":"(task_\w+)"/.exec(told ?? '')?.[1] ?? '';
    expect(world.engine.jobs.resolve(unknown?.id ?? '', { action: 'attach', taskId })).toMatchObject({ ok: true });
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 3 });
  });

  it('does not stop the program when it fails while a poll is being written', async () => {
    world = await World.open();
    await world.start();
    await world.import(shots(2));
    world.engine.queue.run({});
    await world.until('acceptance', () => world.service.ledger.commits === 2);
    world.sql(refuse('UPDATE ON jobs'));
    expect(await world.settle()).toMatchObject({ type: 'halted', gate: { reason: 'database' } });
    await world.stop();
    world.sql('DROP TRIGGER broken');
    await world.start();
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(world.posts()).toHaveLength(2);
  });

  it('lets a new start say what is wrong instead of sending', async () => {
    world = await World.open();
    await world.start();
    await world.import(shots(1));
    await world.stop();
    const [{ user_version: version }] = world.sql('PRAGMA user_version') as [{ user_version: number }];
    world.sql('PRAGMA user_version = 9999');
    await expect(world.start()).rejects.toThrow(/newer/);
    world.sql(`PRAGMA user_version = ${String(version)}`);
    await world.start();
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 1 });
  });
});
