import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { chanceSeed, isNightly, someOf } from '../support/chance.ts';
import { diskOfOthers, oddDisk } from '../support/odd-disk.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { KINDS, tell, type Kind, type Story } from './support/adoption-story.ts';
import { ensureBuilt } from './support/command.ts';
import { KilledHere, KilledProcesses } from './support/killed-command.ts';

/** Stories of each kind: 1,000 in all by night. */
const STORIES = isNightly ? 167 : 1;
/** Stories of each kind on a disk of another system. */
const ODD_STORIES = isNightly ? 167 : 1;
/** By night so many are told by the installed command, which is killed by SIGKILL: one of that many. */
const BY_PROCESSES = 16;
/** Stories told at once: they wait more than they work. */
const LANES = 3;

/**
 * What once went wrong: a waiting take was made elsewhere under another name; the file of a batch was not there; a data
 * folder was copied while a request was under way.
 */
const KNOWN: readonly Story[] = [
  { kind: 'renamed', seed: 6000 },
  { kind: 'half-copied', seed: 7034 },
  { kind: 'restored', seed: 100_046 },
];

beforeAll(() => (isNightly ? ensureBuilt() : undefined));

describe('a project of several data folders, whatever becomes of it', { timeout: 3_600_000 }, () => {
  it.each(KINDS)('pays nothing twice and loses nothing: %s', async (kind) => {
    const stories = Array.from({ length: STORIES }, (_, index) => ({
      ...{ kind, seed: chanceSeed * 1000 + index },
      isBrief: !isNightly,
    }));
    expect(await tellAll(kind, [...KNOWN.filter((known) => known.kind === kind), ...stories])).toEqual([]);
  });

  it.each(someOf(KINDS))('nor on a disk of another system, whose files other programs hold: %s', async (kind) => {
    const disk = oddDisk(diskOfOthers(seededRandom(chanceSeed), { holdsLong: true }));
    onTestFinished(disk.lift);
    const stories = Array.from({ length: ODD_STORIES }, (_, index) => ({
      ...{ kind, seed: chanceSeed * 1000 + 500 + index },
      isBrief: !isNightly,
    }));
    expect(await tellAll(kind, stories, { isOdd: true })).toEqual([]);
  });
});

async function tellAll(kind: Kind, stories: Story[], { isOdd = false } = {}): Promise<string[]> {
  const sum = { stories: 0, posts: 0, kills: 0, unclear: 0 };
  const problems: string[] = [];
  const started = performance.now();
  const tellNext = async (): Promise<void> => {
    for (let story = stories.shift(); story; story = stories.shift()) {
      const isProcess = isNightly && story.seed % BY_PROCESSES === 0;
      const told = await tell(story, isProcess ? KilledProcesses.open({ isOdd }) : KilledHere.open());
      sum.stories += 1;
      sum.posts += told.posts;
      sum.kills += told.kills;
      sum.unclear += told.unclear;
      const found = told.problems.map((problem) => `${kind}, seed ${String(story.seed)}: ${problem}`);
      problems.push(...found);
      for (const each of found) process.stdout.write(`${each}\n`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, tellNext));
  process.stdout.write(
    `adoption, ${kind}${isOdd ? ' on an odd disk' : ''} (CRASH_SEED=${String(chanceSeed)}): ${String(sum.stories)} stories, ${String(sum.kills)} kills, ` +
      `${String(sum.posts)} POSTs, ${String(sum.unclear)} without a whole answer, ${String(problems.length)} problems, ${String(Math.round(performance.now() - started))} ms\n`,
  );
  return problems;
}
