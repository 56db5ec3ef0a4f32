import { noVerdict } from '../../src/contract/verdict.ts';
import { expect, it } from 'vitest';
import { StudioError } from '../../src/studio/errors.ts';
import { createOutbox } from '../../src/studio/outbox.ts';
import { createSendRight } from '../../src/studio/send-right.ts';
import type { Grant, StudioFact } from '../../src/studio/types.ts';
import { shot } from '../engine/db/seed.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { forEachTest, type World } from '../support/world.ts';

let world: World;
forEachTest((opened) => (world = opened));

const away = (): never => {
  throw new StudioError('studio_away');
};

/** One take that this machine has, and the right to send it from a database that answers like this. */
async function rightFrom(...answers: readonly (Grant | (() => never))[]) {
  await world.import([shot(1)]);
  const { jobs } = world.engine.stores;
  const { id, projectId } = world.job('0001');
  jobs.studio.join({ projectId, studio: 'studio-1', root: 'nas', path: 'film' });
  jobs.studio.place(id, { worker: 'one', epoch: 3, isHere: true });
  const left = [...answers];
  const nothing = (): void => undefined;
  const kept: string[] = [];
  const sendRight = createSendRight({
    ...{ engine: world.engine, clock: world.clock, mayAsk: () => null },
    ...{
      onAnswer: nothing,
      holdProject: nothing,
      notice: nothing,
      keepBack: (takeId: string) => void kept.push(takeId),
    },
    database: {
      seen: { studio: null, grants: 0, facts: 0, changes: 0 },
      grant() {
        const answer = left.shift();
        if (answer === undefined || typeof answer === 'function') return Promise.resolve().then(away);
        return Promise.resolve(answer);
      },
    },
  });
  const attempt = { id: 'attempt-1', number: 1, bodyHash: '', origin: 'o', keyFingerprint: 'k', intendedAt: 0 };
  const job = jobs.get(id);
  if (!job) throw new Error('no job');
  const post = { attempt, request: {} as never, price: { kind: 'video', model: job.model, params: {} } as never };
  return { jobs, id, kept, answer: await sendRight(job, post) };
}

const events = (): string[] => world.engine.stores.jobs.studio.outbox(9).map(({ event }) => event);

it('says that nothing was sent where the first answer was lost and the next one is no', async () => {
  const { answer } = await rightFrom(away, { kind: 'wait', why: 'rate', ms: 100 });
  expect(answer).toMatchObject({ answer: 'wait' });
  expect(events()).toEqual(['unused']);
});

it('says nothing of a right that was asked for once and not given', async () => {
  await rightFrom({ kind: 'wait', why: 'rate', ms: 100 });
  expect(events()).toEqual([]);
});

it.each([
  ['on_hold', 'at once'],
  ['other_account', 'at once'],
  ['budget', 'later'],
  ['unpriced', 'later'],
] as const)('gives a take back that is refused for %s, %s, once its recipe says that it waits', async (why, when) => {
  const { answer, jobs, id, kept } = await rightFrom({ kind: 'refused', why, budget: null });
  if (answer.answer !== 'wait') throw new Error(answer.answer);
  expect([...events(), ...kept]).toEqual([]);
  answer.giveBack?.();
  expect({ events: events(), kept }).toEqual(
    when === 'later' ? { events: [], kept: [id] } : { events: ['released'], kept: [] },
  );
  expect([jobs.studio.take(id)?.isHere, jobs.get(id)?.paused]).toEqual([false, 'elsewhere']);
});

it('tells the rest where the database refuses one fact for ever', async () => {
  await world.import([shot(1), shot(2), shot(3)]);
  const { studio } = world.engine.stores.jobs;
  studio.join({ projectId: world.projectId, studio: 'studio-1', root: 'nas', path: 'film' });
  for (const key of ['0001', '0002', '0003']) studio.released(world.job(key).id, 1, 0);
  const bad = world.job('0002').id;
  const told: string[] = [];
  const tell = createOutbox({
    ...{ studio, detailOf: () => null, verdictOf: () => noVerdict, onAnswer: () => undefined, logger: new MemoryLog() },
    database: {
      seen: { studio: null, grants: 0, facts: 0, changes: 0 },
      report(facts: readonly StudioFact[]) {
        if (facts.some(({ takeId }) => takeId === bad)) return Promise.reject(new StudioError('studio_failed'));
        told.push(...facts.map(({ takeId }) => takeId));
        return Promise.resolve(facts.at(-1)?.sequence ?? 0);
      },
    },
  });
  await tell();
  expect(told).toEqual(['0001', '0003'].map((key) => world.job(key).id));
  expect(studio.outbox(9)).toEqual([]);
});

it('numbers what an older copy of a data folder has to tell after what the studio has of it', async () => {
  await world.import([shot(1)]);
  const { studio } = world.engine.stores.jobs;
  studio.join({ projectId: world.projectId, studio: 'studio-1', root: 'nas', path: 'film' });
  studio.released(world.job('0001').id, 1, 0);
  studio.continueAfter(1);
  expect(studio.outbox(9).map(({ seq }) => seq)).toEqual([1]);
  studio.continueAfter(40);
  studio.released(world.job('0001').id, 2, 0);
  expect(studio.outbox(9).map(({ seq }) => seq)).toEqual([41, 42]);
});
