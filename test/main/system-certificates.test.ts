import { describe, expect, it } from 'vitest';
import { trustSystem } from '../../src/main/engine-host.ts';

/** Node's part, with a system that trusts these. */
function aNode(system: () => string[]) {
  const set: string[][] = [];
  trustSystem({
    getCACertificates: (type) => (type === 'system' ? system() : ['public A', 'public B']),
    setDefaultCACertificates: (all) => set.push(all as string[]),
  });
  return set;
}

describe('authorities of the system', () => {
  it('are trusted besides those of Node: a studio may have its own', () => {
    expect(aNode(() => ['public B', 'studio'])).toEqual([['public A', 'public B', 'studio']]);
  });

  it('change nothing when there are none of their own', () => {
    expect(aNode(() => ['public B', 'public A'])).toEqual([]);
  });

  it('that cannot be read leave those of Node', () => {
    const unreadable = () => {
      throw new Error('no keychain');
    };
    expect(aNode(unreadable)).toEqual([]);
  });
});
