import { expect, it } from 'vitest';
import { feed } from './harness.ts';

/** Each parser of bytes that come from strangers, and how many damaged inputs it is given by day: at most a second of them. */
const RUNS = { lists: 15, workbooks: 15, media: 20, pictures: 50, recipes: 12, drafts: 30, answers: 50 };

it.concurrent.each(Object.entries(RUNS))(
  'damaged bytes of strangers as %s are read, or refused in words',
  async (name, runs) => {
    expect(await feed(name, runs)).toBeGreaterThanOrEqual(runs);
  },
);
