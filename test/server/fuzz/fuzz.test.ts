import { isContractProcedure, type AnyContractProcedure } from '@orpc/contract';
import { isDefinedError, ORPCError } from '@orpc/client';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contract } from '../../../src/contract/procedures.ts';
import type { Services } from '../../../src/server/services.ts';
import { createRouter } from '../../../src/server/router/router.ts';
import { createRouterClient } from '@orpc/server';
import { Served } from '../support.ts';
import { Noise, type Shape } from './noise.ts';

/** Of each procedure; as every night, with CRASH_ALL=1, five times as many. */
const CALLS = process.env['CRASH_ALL'] === '1' ? 10_000 : 1000;
/** Procedures without an input are one call, however often it is made. */
const CALLS_WITHOUT_INPUT = 25;
/** Calls that run at once, so that procedures meet each other too. */
const AT_ONCE = 50;
const SEED = 20_261_120;

type Call = (input: unknown) => Promise<unknown>;

function proceduresOf(tree: object, path: readonly string[] = []): [name: string, procedure: AnyContractProcedure][] {
  return Object.entries(tree).flatMap(([name, value]: [string, object]): [string, AnyContractProcedure][] =>
    isContractProcedure(value) ? [[[...path, name].join('.'), value]] : proceduresOf(value, [...path, name]),
  );
}

/** A stream is no call: its messages have tests of their own. */
const procedures = proceduresOf(contract).filter(
  ([name]) => !['events.changes', 'desktop.events', 'runs.follow'].includes(name),
);

function shapeOf(procedure: AnyContractProcedure): Shape | null {
  const { inputSchema } = procedure['~orpc'];
  return inputSchema instanceof z.ZodType ? (z.toJSONSchema(inputSchema, { io: 'input' }) as Shape) : null;
}

describe('thousands of calls of every procedure, most of them nonsense', () => {
  let served: Served;
  let known: { ids: string[]; paths: string[] };
  let api: object;

  beforeAll(async () => {
    served = await Served.open();
    const projectId = await served.saveImages(3);
    const { engine, folder } = served.world;
    // Nobody but this machine is asked anything, and nothing is sent.
    served.world.key = null;
    const { id } = await engine.drafts.open(projectId, { type: 'template', kind: 'image' }, {});
    const jobs = served.world.jobs().map((job) => job.id);
    known = {
      ids: [projectId, id, ...engine.stores.batches.list(projectId).map((batch) => batch.id), ...jobs],
      paths: [
        served.world.projectPath,
        join(folder, 'new'),
        'relative',
        '',
        '..',
        '/dev/null',
        `${folder}/\0`,
        'C:\\x',
      ],
    };
    api = createRouterClient(createRouter(withFixedAccount(served.services)));
    return () => served.close();
  });

  const callOf = (name: string): Call => {
    const [noun, verb] = name.split('.') as [string, string];
    return (api as Record<string, Record<string, Call>>)[noun]?.[verb] as Call;
  };

  it.each(procedures)('%s refuses in words or answers, and nothing breaks', async (name, procedure) => {
    const shape = shapeOf(procedure);
    const noise = new Noise(SEED, known);
    const call = callOf(name);
    const outcomes: Record<string, number> = {};
    const one = async (): Promise<void> => {
      // A few calls are close to what is right, the others are not.
      const input = shape ? noise.around(shape, noise.next() < 0.03 ? 0.02 : 0.6) : noise.around({}, 1);
      const outcome = await call(input).then(() => 'answered', outcomeOf);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    };
    const calls = shape ? CALLS : CALLS_WITHOUT_INPUT;
    for (let made = 0; made < calls; made += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
    expect(Object.keys(outcomes).filter((outcome) => !['answered', 'refused', 'bad input'].includes(outcome))).toEqual(
      [],
    );
    expect(served.world.log.lines.filter((line) => line.startsWith('error')).slice(0, 3)).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('and everything that was there is there', () => {
    expect(served.world.counts()).toMatchObject({ saved: 3 });
    // One of the calls may have given it another name.
    expect(served.world.engine.stores.projects.list()).toContainEqual(expect.objectContaining({ id: known.ids[0] }));
  });
});

function outcomeOf(error: unknown): string {
  if (!(error instanceof ORPCError)) return `threw ${String(error)}`;
  if (error.code === 'REFUSED') return isDefinedError(error) ? 'refused' : 'refused otherwise than declared';
  return error.code === 'BAD_REQUEST' ? 'bad input' : `${error.code}: ${error.message}`;
}

/** Nonsense must not change whom the engine asks, and with which key. */
function withFixedAccount(services: Services): Services {
  const { settings, keys } = services;
  return {
    ...services,
    settings: { ...settings, change: ({ baseUrl: _baseUrl, ...change }) => settings.change(change) },
    keys: { ...keys, of: (id) => ({ ...keys.of(id), set: () => Promise.resolve(keys.of(id).state()) }) },
  };
}
