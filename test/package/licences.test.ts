import { describe, expect, it } from 'vitest';
import { isAllowed, shippedPackages } from '../../scripts/licences.ts';

describe('what ships', () => {
  it('is under licences that allow it, or has a reason of its own', () => {
    const packages = shippedPackages();
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['svelte', 'tailwindcss', 'undici', 'zod', 'better-sqlite3', 'sharp']),
    );
    const exceptions = packages.filter(({ licence }) => !isAllowed(licence));
    expect(exceptions.every(({ exception }) => exception !== null)).toBe(true);
    expect(packages.filter(({ texts }) => texts.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['Apache-2.0 AND BSD-3-Clause', true],
    ['Apache-2.0 AND LGPL-3.0-or-later', false],
    ['GPL-3.0-only', false],
    ['', false],
  ])('may be under “%s”: %s', (licence, allowed) => {
    expect(isAllowed(licence)).toBe(allowed);
  });
});
