import { afterAll, describe, expect, it } from 'vitest';
import { problemsAfterKill, problemsAtEnd } from './support/crash-checks.ts';
import { Scene } from './support/scene.ts';

/** Children at once: one for each core that the smallest machine of CI has. */
const LANES = 2;

const sum = { points: 0, kills: 0, posts: 0, attached: 0, resubmitted: 0, problems: [] as string[] };

afterAll(() => {
  const { points, kills, posts, attached, resubmitted } = sum;
  process.stdout.write(
    `SIGKILL: ${points} points, ${kills} kills, ${posts} POSTs, ${attached + resubmitted} unknown submits ` +
      `(${attached} attached, ${resubmitted} never arrived), ${sum.problems.length} problems\n`,
  );
});

describe('a process killed at any point', () => {
  it('loses nothing, pays for nothing twice and leaves no file that is not whole', async () => {
    const points = await pointsOfOneRun();
    sum.points = points.length;
    await Promise.all(
      Array.from({ length: LANES }, (_, lane) => killAtEach(points.filter((_, index) => index % LANES === lane))),
    );
    expect(sum.problems).toEqual([]);
    expect(sum.kills).toBeGreaterThan(points.length * 0.9);
  });
});

async function pointsOfOneRun(): Promise<readonly string[]> {
  const scene = await Scene.open();
  try {
    return (await scene.runChild(null)).points;
  } finally {
    await scene.close();
  }
}

async function killAtEach(points: readonly string[]): Promise<void> {
  for (const point of points) {
    const scene = await Scene.open();
    try {
      await tellStory(scene, point);
    } finally {
      await scene.close();
    }
  }
}

async function tellStory(scene: Scene, point: string): Promise<void> {
  const note = (when: string, problems: readonly string[]) =>
    sum.problems.push(...problems.map((problem) => `killed ${point}, ${when}: ${problem}`));
  try {
    const { killedAt } = await scene.runChild(point);
    if (killedAt !== null) sum.kills += 1;
    note('at once', await problemsAfterKill(scene));
    const { attached } = await scene.resume();
    sum.attached += attached;
    sum.resubmitted += scene.resubmitted.length;
    note('at the end', await problemsAtEnd(scene));
    sum.posts += scene.posts().length;
  } catch (error) {
    note('while going on', [String(error)]);
  }
}
