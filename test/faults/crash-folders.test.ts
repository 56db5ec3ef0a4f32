import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoService } from '../support/demo/service.ts';
import { dailiesKilled, ensureBuilt } from './support/command.ts';
import {
  bringToItsEnd,
  fromAnotherFolder,
  lifetimeOfOneRun,
  nextCommand,
  problemsInTheEnd,
  problemsNow,
  setScene,
} from './support/outcomes.ts';
import { startQuickService, type Scene } from './support/scene.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { chanceSeed, isNightly } from '../support/chance.ts';

const KILLS = isNightly ? 200 : 3;
/** Stories told at once: their processes wait more than they work. */
const LANES = isNightly ? 3 : 1;

const random = seededRandom(chanceSeed);
const services: { readonly service: DemoService; readonly lifetimeMs: number }[] = [];

beforeAll(async () => {
  await ensureBuilt();
  const service = await startQuickService({ imageMs: 400 });
  const lifetimeMs = await lifetimeOfOneRun(service);
  services.push({ service, lifetimeMs });
  while (services.length < LANES) services.push({ service: await startQuickService({ imageMs: 400 }), lifetimeMs });
});
afterAll(async () => {
  await Promise.all(services.map(({ service }) => service.stop()));
});

describe('a project and its data folders, killed at random moments', { timeout: 3_600_000 }, () => {
  it('loses and doubles nothing when two data folders work on it, in turns and at once @night', async () => {
    expect(await runStories('two data folders', inTurnsAndAtOnce)).toEqual([]);
  });

  it('loses and doubles nothing when its data folder is replaced by a copy of a random moment @night', async () => {
    expect(await runStories('an older data folder', withAnOlderCopy)).toEqual([]);
  });
});

interface Telling {
  readonly scene: Scene;
  /** Runs a data folder's next command and kills it at a random moment. */
  readonly kill: (scene: Scene) => Promise<void>;
  /** Runs to the end, and decides what is in doubt. */
  readonly end: (scene: Scene) => Promise<void>;
}

async function inTurnsAndAtOnce({ scene, kill, end }: Telling): Promise<void> {
  const other = fromAnotherFolder(scene);
  const [first, second] = random() < 0.5 ? [scene, other] : [other, scene];
  await kill(first);
  if (random() < 0.5) await Promise.all([kill(first), kill(second)]);
  else await kill(second);
  if (random() < 0.5) await kill(first);
  await end(second);
  await end(first);
}

async function withAnOlderCopy({ scene, kill, end }: Telling): Promise<void> {
  const { dataFolder } = scene.place;
  await kill(scene);
  cpSync(dataFolder, `${dataFolder} copy`, { recursive: true });
  await kill(scene);
  if (random() < 0.3) await end(scene);
  rmSync(dataFolder, { recursive: true });
  cpSync(`${dataFolder} copy`, dataFolder, { recursive: true });
  await kill(scene);
  await end(scene);
}

/** Tells stories until enough processes were killed. Returns what went wrong, in sentences. */
async function runStories(what: string, tell: (telling: Telling) => Promise<void>): Promise<string[]> {
  const told = { stories: 0, kills: 0, posts: 0, attached: 0, resubmitted: 0 };
  const problems: string[] = [];
  await Promise.all(
    services.map(async ({ service, lifetimeMs }) => {
      while (told.kills < KILLS) {
        const scene = setScene(service);
        const moments: string[] = [];
        const note = (found: readonly string[]) =>
          problems.push(...found.map((problem) => `${what}, killed after ${moments.join(', ')} ms: ${problem}`));
        const kill = async (killed: Scene): Promise<void> => {
          const moment = random() * lifetimeMs;
          moments.push(String(Math.round(moment)));
          const { status } = await dailiesKilled(killed, moment, ...nextCommand(killed));
          if (status === null) told.kills += 1;
          note(await problemsNow(killed));
        };
        const end = async (scene: Scene): Promise<void> => {
          told.attached += (await bringToItsEnd(scene)).attached;
        };
        try {
          await tell({ scene, kill, end });
          note(await problemsInTheEnd(scene));
        } catch (error) {
          note([String(error)]);
        }
        told.stories += 1;
        told.posts += scene.posts().length;
        told.resubmitted += scene.resubmitted.length;
        scene.remove();
      }
    }),
  );
  process.stdout.write(
    `SIGKILL with ${what} (CRASH_SEED=${String(chanceSeed)}): ${String(told.stories)} stories, ${String(told.kills)} kills, ` +
      `${String(told.posts)} POSTs, ${String(told.attached + told.resubmitted)} submits of unknown fate (${String(told.attached)} attached, ` +
      `${String(told.resubmitted)} never arrived), ${String(problems.length)} lost, doubled or broken\n`,
  );
  return problems;
}
