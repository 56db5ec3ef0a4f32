import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DemoService } from '../support/demo/service.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { isNightly } from '../support/chance.ts';
import { inOneFile } from './support/one-file.ts';
import { rewriting, startFilmEngine } from './support/sample-film.ts';
import { runProcess, Scene, startQuickService } from './support/scene.ts';

/** More points than one call has. */
const MAX_POINTS = 60;
/** By day a call is killed at every third of them. */
const EVERY = isNightly ? 1 : 3;

let service: DemoService;
let child: string;
beforeAll(async () => {
  service = await startQuickService();
  child = await inOneFile(join(import.meta.dirname, 'support', 'tool-child.ts'), 'tool-child');
});
afterAll(() => service.stop());

/** What the same question comes to after a kill: it is asked, waits for a person, or brings the paid answer. */
type Outcome = 'asked' | 'waits' | 'kept';

interface Story {
  /** Null: the call was over before. */
  readonly killedAt: string | null;
  readonly sentBefore: number;
  readonly outcome: Outcome;
  readonly problems: readonly string[];
}

async function askAgain(engine: Engine, projectId: string, isAgreed = false): Promise<Outcome> {
  const answer = await engine.tools.prompts.rewrite(rewriting(projectId, isAgreed));
  if (answer.type === 'proposed') return answer.wasPaid ? 'kept' : 'asked';
  if (answer.failure.cost !== 'maybe') throw new Error(`it failed for ${answer.failure.cost}`);
  return 'waits';
}

function countedIn({ stores }: Engine): number {
  const { reserved, settled, unclear } = stores.ledger.totals({});
  return reserved.requests + settled.requests + unclear.requests;
}

/** Kills the process of a call, and asks the same in another one. */
async function tellStory(killAfter: number): Promise<Story> {
  const scene = new Scene(service);
  const said = await runProcess(process.execPath, [child, JSON.stringify({ place: scene.place, killAfter })]);
  await scene.untilServiceIsIdle();
  const { killedAt } = JSON.parse(said) as { killedAt: string | null };
  const posts = () => scene.posts().length;
  const sentBefore = posts();
  const problems: string[] = [];
  const engine = await startFilmEngine(scene.place);
  try {
    const { id } = await engine.projects.open(scene.place.projectFolder);
    const waiting = () => engine.tools.runner.unclear().length;
    if (countedIn(engine) < sentBefore) problems.push('what was sent is not counted');
    const outcome = await askAgain(engine, id);
    const sentNow = posts() - sentBefore;
    if (sentNow !== (outcome === 'asked' ? 1 : 0)) problems.push(`${sentNow} sent, though it ${outcome}`);
    if (posts() > 1) problems.push('it was paid twice');
    if (waiting() !== (outcome === 'waits' ? 1 : 0)) problems.push(`${waiting()} wait for a person`);
    // With a person's yes it is sent once more, and only then.
    if (outcome === 'waits' && (await askAgain(engine, id, true)) !== 'asked') problems.push('a yes sends nothing');
    if (posts() !== sentBefore + (outcome === 'kept' ? 0 : 1)) problems.push(`${posts()} requests in the end`);
    if ((await askAgain(engine, id)) !== 'kept') problems.push('its answer is lost');
    if (countedIn(engine) < posts()) problems.push('not all that was sent is counted');
    return { killedAt, sentBefore, outcome, problems };
  } finally {
    await engine.stop();
    scene.remove();
  }
}

describe('a call of a tool, killed at any point', { timeout: 600_000 }, () => {
  it('is never paid for twice and never lost, and a person decides about what is unclear', async () => {
    const stories: Story[] = [];
    do stories.push(await tellStory(stories.length * EVERY));
    while (stories.at(-1)?.killedAt !== null && stories.length < MAX_POINTS);
    const told = (killedAt: string | null, what: string): string => `killed ${killedAt ?? 'after its end'}: ${what}`;
    expect(stories.flatMap(({ killedAt, problems }) => problems.map((each) => told(killedAt, each)))).toEqual([]);
    // Before its intent is written, it was never made; from then on it waits; from the whole answer on, that is there.
    const turns = stories.map(({ outcome }) => outcome).filter((outcome, at, all) => outcome !== all[at - 1]);
    expect(turns).toEqual(['asked', 'waits', 'kept']);
    expect(stories.some(({ outcome, sentBefore }) => outcome === 'waits' && sentBefore === 1)).toBe(true);
    expect(stories.at(-1)?.killedAt).toBeNull();
    process.stdout.write(
      `SIGKILL in a call of a tool at ${String(stories.length - 1)} points: none paid twice, none lost\n`,
    );
  });
});
