import fc from 'fast-check';

/** The nightly run, which takes all the time it needs. */
export const isNightly = process.env['CRASH_ALL'] === '1';

/**
 * Seed of everything that a test leaves to chance. One run is like the one before, so that what fails has failed by a
 * change; the nightly run, with CRASH_ALL=1, takes another one each time. CRASH_SEED brings a told one back.
 */
export const chanceSeed = Number(process.env['CRASH_SEED'] ?? (isNightly ? Date.now() % 1_000_000 : 1));

fc.configureGlobal({ seed: chanceSeed });

/** Cases of a table that differ in little: each at night, every third of them by day. */
export function someOf<const T extends readonly unknown[]>(cases: T): readonly T[number][] {
  return isNightly ? cases : cases.filter((_, index) => index % 3 === 0);
}
