import { beforeAll, describe, expect, it } from 'vitest';
import { dailiesKilled, ensureBuilt } from './support/command.ts';
import { problemsAfterKill, problemsAtEnd } from './support/crash-checks.ts';
import { startQuickService, type Scene } from './support/scene.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { bringToItsEnd, lifetimeOfOneRun, nextCommand, setScene } from './support/outcomes.ts';
import { chanceSeed, isNightly, someOf } from '../support/chance.ts';

const KILLS = isNightly ? 100 : 1;
/** Processes at once by night: they wait more than they work. */
const LANES = isNightly ? 3 : 1;

const random = seededRandom(chanceSeed);

beforeAll(ensureBuilt);

describe('the command killed at random moments', { timeout: 3_600_000 }, () => {
  it.each(
    someOf([
      { disk: 'its own disk', isOdd: false },
      { disk: 'a disk of another system, whose files other programs hold', isOdd: true },
    ]),
  )(
    'loses nothing, pays for nothing twice and leaves no file that is not whole, on $disk @night',
    async ({ disk, isOdd }) => {
      const told = { stories: 0, kills: 0, posts: 0, attached: 0, resubmitted: 0, problems: [] as string[] };
      await Promise.all(
        Array.from({ length: LANES }, async () => {
          // Long enough that one kill in a few meets a request whose answer is still out.
          const service = await startQuickService({ imageMs: 400 });
          const lifetimeMs = await lifetimeOfOneRun(service);
          while (told.kills < KILLS) await runStory(setScene(service, { isOdd }), lifetimeMs, told);
          await service.stop();
        }),
      );
      const { stories, kills, posts, attached, resubmitted, problems } = told;
      process.stdout.write(
        `SIGKILL at random on ${disk} (CRASH_SEED=${chanceSeed}): ${stories} stories, ${kills} kills, ${posts} POSTs, ` +
          `${attached + resubmitted} submits of unknown fate (${attached} attached, ${resubmitted} never arrived), ` +
          `${problems.length} lost, doubled or broken\n`,
      );
      expect(problems).toEqual([]);
    },
  );
});

interface Told {
  stories: number;
  kills: number;
  posts: number;
  attached: number;
  resubmitted: number;
  readonly problems: string[];
}

/** Killed while it runs the list, killed again while it goes on, then brought to its end. */
async function runStory(scene: Scene, lifetimeMs: number, told: Told): Promise<void> {
  const moments = [random() * lifetimeMs, random() * lifetimeMs];
  const note = (problems: readonly string[]) =>
    told.problems.push(
      ...problems.map((problem) => `killed after ${moments.map(Math.round).join(' and ')} ms: ${problem}`),
    );
  try {
    for (const moment of moments) {
      const { status } = await dailiesKilled(scene, moment, ...nextCommand(scene));
      if (status === null) told.kills += 1;
      note(await problemsAfterKill(scene));
    }
    told.attached += (await bringToItsEnd(scene)).attached;
    note(await problemsAtEnd(scene, { anHourLater: false }));
  } catch (error) {
    note([String(error)]);
  }
  told.stories += 1;
  told.posts += scene.posts().length;
  told.resubmitted += scene.resubmitted.length;
  scene.remove();
}
