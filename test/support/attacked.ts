import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

/** Files of a stranger, by their paths: project folders and lists that a person opens. */
export interface Attack {
  readonly projects?: readonly string[];
  readonly lists?: readonly string[];
}

/** What an engine said to each of them, and what it was like meanwhile. */
export interface Attacked {
  readonly met: { readonly said: readonly string[]; readonly drafts: number; readonly clippings: number }[];
  /** Takes of the person's own project that are saved in the end, and of all projects. */
  readonly own: number;
  readonly saved: number;
  /** The most memory that the process had. */
  readonly peakMb: number;
  /** Processor time of the longest turn. */
  readonly longestMs: number;
}

/**
 * Has an engine in a process of its own open what a stranger gives, and expects what holds for every attack: the process
 * lives, takes less than 700 MB and no turn of a second, makes the person's own takes before and after, and starts again.
 */
export async function underAttack(attack: Attack): Promise<Attacked> {
  const child = join(import.meta.dirname, 'attacked-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [child, JSON.stringify(attack)]);
  const attacked = JSON.parse(stdout) as Attacked;
  expect(attacked.own).toBe(2);
  expect(attacked.peakMb).toBeLessThan(700);
  expect(attacked.longestMs).toBeLessThan(1000);
  return attacked;
}
