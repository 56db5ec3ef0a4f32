import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StudioDatabase } from '../../src/studio/database.ts';
import type { Grant, HeldTake, StudioFact } from '../../src/studio/types.ts';
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

const TAKES = 5;
const MACHINES = 2;
const CEILING = 2;
const PRICE = 1000;

type Step =
  | { readonly do: 'take'; readonly machine: number }
  | { readonly do: 'dead'; readonly machine: number }
  | { readonly do: 'grant' | 'again'; readonly machine: number; readonly take: number }
  | { readonly do: 'tell'; readonly machine: number; readonly take: number; readonly kind: StudioFact['kind'] }
  | { readonly do: 'command'; readonly take: number; readonly kind: 'cancel' | 'hold' | 'resume' | 'retry' };

const machine = fc.nat(MACHINES - 1);
const take = fc.nat(TAKES - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const), machine }) },
  {
    weight: 14,
    arbitrary: fc.record({ do: fc.constantFrom('grant' as const, 'grant' as const, 'again' as const), machine, take }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ do: fc.constant('tell' as const), machine, take },
      kind: fc.constantFrom('not_sent', 'accepted', 'accepted', 'unclear', 'failed', 'saved', 'cancelled', 'released'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant('command' as const), take },
      kind: fc.constantFrom('cancel', 'hold', 'resume', 'retry'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dead' as const), machine }) },
);

/** What one machine remembers of takes, whether they are still its own or not. */
class Known {
  readonly handed = new Map<string, HeldTake>();
  readonly requests = new Map<string, ReturnType<typeof requestFor>>();
}

/** A machine that was declared dead at the same time is refused. */
function unlessFenced(error: unknown): void {
  if ((error as { code?: string }).code !== 'studio_fenced') throw error;
}

describe.runIf(hasPostgres)('grants, by whatever machines and people do', () => {
  let studio: TestStudio;
  beforeAll(async () => {
    studio = await newStudio();
  });
  afterAll(() => studio.close());

  const answers = new Map<Grant['kind'], number>();

  /** What must hold between any two transactions, counted from the attempts alone. */
  async function expectSound(project: string, budget: number): Promise<void> {
    const [row] = await studio.query(
      `WITH mine AS (SELECT t.*, a.id AS attempt, a.state AS attempt_state, a.is_charged, a.price_micros AS price
        FROM dailies.takes t LEFT JOIN dailies.attempts a ON a.take_id = t.id WHERE project_id = $1)
      SELECT
        (SELECT coalesce(max(n), 0)::int FROM (SELECT count(*) n FROM mine WHERE attempt_state <> 'closed' GROUP BY id) x) AS "openOfOneTake",
        (SELECT count(*)::int FROM mine WHERE attempt_state = 'open') AS "open",
        (SELECT count(*)::int FROM mine WHERE attempt IS NOT NULL AND is_charged) AS "charged",
        (SELECT coalesce(sum(price), 0)::int FROM mine WHERE attempt IS NOT NULL AND is_charged) AS "micros",
        (SELECT count(DISTINCT id)::int FROM mine WHERE state IN ('granted', 'sent') AND attempt_state IS DISTINCT FROM 'open'
          AND NOT EXISTS (SELECT FROM mine o WHERE o.id = mine.id AND o.attempt_state = 'open')) AS "sentWithoutAttempt",
        (SELECT count(DISTINCT id)::int FROM mine WHERE state IN ('waiting', 'held', 'done', 'cancelled')
          AND attempt_state <> 'closed') AS "attemptLeftBehind",
        coalesce((SELECT takes FROM dailies.usage WHERE scope = 'project' AND name = $1), 0) AS "usedTakes",
        coalesce((SELECT micros::int FROM dailies.usage WHERE scope = 'project' AND name = $1), 0) AS "usedMicros",
        (SELECT in_flight FROM dailies.models WHERE model = $1) AS "inFlight",
        (SELECT ceiling FROM dailies.models WHERE model = $1) AS "ceiling"`,
      [project],
    );
    expect(row).toMatchObject({ sentWithoutAttempt: 0, attemptLeftBehind: 0 });
    expect(row?.['openOfOneTake']).toBeLessThanOrEqual(1);
    // An unclear request that turns out to run is no grant: it raises the ceiling.
    expect(row?.['open']).toBeLessThanOrEqual(Number(row?.['ceiling']));
    expect(row?.['inFlight'] ?? 0).toBe(row?.['open']);
    expect([row?.['usedTakes'], row?.['usedMicros']]).toEqual([row?.['charged'], row?.['micros']]);
    expect(row?.['charged']).toBeLessThanOrEqual(budget);
  }

  async function story(steps: readonly (readonly Step[])[], budget: number): Promise<void> {
    const project = `project-${randomUUID()}`;
    const name = project.slice(0, 20);
    const machines: StudioDatabase[] = await Promise.all(
      ['anna', 'ben'].map((login) => studio.machine(login, `${login} ${name}`)),
    );
    const tellers = machines.map(teller);
    const owner = machines[0] as StudioDatabase;
    // Its own model and batch: what is counted belongs to this story alone.
    const batch = { ...batchOf(), id: project, project: { id: project, name, root: name, path: name } };
    const takes = takesOf(TAKES, { model: project, priceMicros: PRICE });
    await owner.enqueue(batch, takes);
    await studio.admin.setRate(ACCOUNT.name, unlimited);
    await studio.admin.setBudget({ scope: 'project', id: project }, { takes: budget });
    await studio.query(
      `INSERT INTO dailies.models (account_id, model, ceiling, ceiling_of_all, next_try_at)
      SELECT id, $1, ${CEILING}, 0, now() + interval '1 day' FROM dailies.accounts WHERE name = $2`,
      [project, ACCOUNT.name],
    );
    const known = machines.map(() => new Known());

    const act = async (each: Step): Promise<void> => {
      if (each.do === 'command') {
        await owner.command([takes[each.take]?.id ?? ''], { kind: each.kind });
        return;
      }
      const [at, here] = [machines[each.machine] as StudioDatabase, known[each.machine] as Known];
      if (each.do === 'dead') {
        const login = each.machine === 0 ? 'anna' : 'ben';
        await studio.admin.declareDead(`${login} ${name}`);
        const visitor = await studio.open(login, null);
        await visitor.join(login, `${login} ${name}`, `folder of ${login} ${name}`);
        await visitor.close();
        return;
      }
      if (each.do === 'take') {
        const some = [...(await at.takeNext([name], [ACCOUNT], 2)), ...(await at.adoptSent([name], [ACCOUNT], 1))];
        for (const held of some) {
          here.handed.delete(held.id);
          here.handed.set(held.id, held);
          const request = requestFor(held);
          here.requests.set(held.id, held.sent === null ? request : { ...request, attemptId: held.sent.attemptId });
        }
        return;
      }
      // One that this machine was handed at some time: about others it could say nothing.
      const handed = [...here.handed.values()].reverse();
      const held = handed[each.take % Math.max(1, handed.length)];
      const request = held && here.requests.get(held.id);
      if (!held || !request) return;
      const { id } = held;
      if (each.do === 'tell') {
        const { attemptId } = request;
        await tellers[each.machine]?.(held, {
          kind: each.kind,
          attemptId,
          taskId: 't',
          isCharged: true,
          priceMicros: null,
          detail: 1,
        });
        return;
      }
      if (each.do === 'grant') here.requests.set(id, { ...request, attemptId: randomUUID() });
      const answer: Grant = await at.grant(here.requests.get(id) ?? request);
      answers.set(answer.kind, (answers.get(answer.kind) ?? 0) + 1);
      if (answer.kind !== 'granted') here.requests.set(id, request);
    };

    const begin = machines.map((_, index) => ({ do: 'take' as const, machine: index }));
    for (const together of [begin, ...steps]) {
      await Promise.all(together.map((each) => act(each).catch(unlessFenced)));
      await expectSound(project, budget);
    }
    await Promise.all(machines.map((each) => each.close()));
  }

  it('never open two attempts of a take, pass the ceiling or a budget, and count each attempt once', async () => {
    const steps = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 10, maxLength: 30 });
    await fc.assert(fc.asyncProperty(steps, fc.integer({ min: 1, max: 9 }), story), {
      numRuns: process.env['CRASH_ALL'] === '1' ? 150 : 4,
      // By day the same stories each time, so that the counts below are no matter of luck.
      ...(process.env['CRASH_ALL'] !== '1' && { seed: 1 }),
      endOnFailure: true,
    });
    // Stories in which nothing is granted would show nothing.
    for (const kind of ['granted', 'refused', 'wait'] as const) expect(answers.get(kind) ?? 0, kind).toBeGreaterThan(0);
  }, 900_000);
});
