import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemsAfterKill, problemsAtEnd } from './support/crash-checks.ts';
import { Scene, startQuickService } from './support/scene.ts';

/** Children at once: one for each core that the smallest machine of CI has. */
const LANES = 2;

let points: readonly string[];

beforeAll(async () => {
  const service = await startQuickService();
  const scene = new Scene(service);
  points = (await scene.runChild(null)).points;
  scene.remove();
  await service.stop();
});

describe('a process killed at any point', () => {
  it('loses nothing, pays for nothing twice and leaves no file that is not whole', async () => {
    const told = await tellStories(points, () => undefined);
    expect(told.problems).toEqual([]);
    // The order of things is not the same in every run, so a point here and there is not come by.
    expect(told.kills).toBeGreaterThan(points.length * 0.9);
  });

  it('pays for nothing twice when its database is lost with it and another machine opens the folder', async () => {
    const aboutMoney = points.filter((point) => /POST|attempts|accepted|takes\/ID\.json #|link/.test(point));
    const told = await tellStories(aboutMoney, (scene) => scene.loseDatabase());
    expect(told.problems).toEqual([]);
    expect(told.kills).toBeGreaterThan(aboutMoney.length * 0.9);
  });
});

class Told {
  kills = 0;
  posts = 0;
  attached = 0;
  resubmitted = 0;
  readonly problems: string[] = [];
}

const all: { points: number; told: Told }[] = [];

afterAll(() => {
  for (const { points, told } of all) {
    const { kills, posts, attached, resubmitted, problems } = told;
    process.stdout.write(
      `SIGKILL at ${points} points: ${kills} kills, ${posts} POSTs, ${attached + resubmitted} submits of unknown fate ` +
        `(${attached} attached, ${resubmitted} never arrived), ${problems.length} problems\n`,
    );
  }
});

async function tellStories(points: readonly string[], afterKill: (scene: Scene) => void): Promise<Told> {
  const told = new Told();
  all.push({ points: points.length, told });
  const left = [...points];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      const service = await startQuickService();
      for (let point = left.shift(); point !== undefined; point = left.shift()) {
        const scene = new Scene(service);
        await tellStory(scene, point, told, afterKill);
        scene.remove();
      }
      await service.stop();
    }),
  );
  return told;
}

async function tellStory(scene: Scene, point: string, told: Told, afterKill: (scene: Scene) => void): Promise<void> {
  const note = (when: string, problems: readonly string[]) =>
    told.problems.push(...problems.map((problem) => `killed ${point}, ${when}: ${problem}`));
  try {
    const { killedAt } = await scene.runChild(point);
    if (killedAt !== null) told.kills += 1;
    note('at once', await problemsAfterKill(scene));
    afterKill(scene);
    const { attached } = await scene.resume();
    told.attached += attached;
    told.resubmitted += scene.resubmitted.length;
    note('at the end', await problemsAtEnd(scene));
    told.posts += scene.posts().length;
  } catch (error) {
    note('while going on', [String(error)]);
  }
}
