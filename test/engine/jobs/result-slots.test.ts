import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeResults, type Slot } from '../../../src/engine/machine/result-slots.ts';

const url = (name: string, signature = 1) => `https://cdn.example/${name}.png?sig=${String(signature)}`;
const slot = (name: string, isFetched: boolean): Slot => ({ url: url(name), isFetched });

describe('the addresses of a take that are asked for again', () => {
  it('are new outputs at first', () => {
    expect(placeResults([], [url('a'), url('b')])).toEqual([url('a'), url('b')]);
  });

  it('lead each output to the path it had, whatever their order and queries', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 })
          .chain((names) =>
            fc.tuple(
              fc.constant(names),
              fc.shuffledSubarray(names),
              fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
            ),
          ),
        ([names, fresh, fetched]) => {
          const slots = names.map((name, index) => slot(name, fetched[index] === true));
          const placed = placeResults(
            slots,
            fresh.map((name) => url(name, 2)),
          );
          expect(placed).toEqual(names.map((name) => url(name, fresh.includes(name) ? 2 : 1)));
        },
      ),
    );
  });

  it('are all placed, each once, and no output is dropped, whatever comes', () => {
    const address = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3)).map(([name, sig]) => url(name, sig));
    const known = fc.record({ url: fc.option(address), isFetched: fc.boolean() });
    fc.assert(
      fc.property(fc.array(known, { maxLength: 5 }), fc.uniqueArray(address, { maxLength: 6 }), (slots, fresh) => {
        const placed = placeResults(slots, fresh);
        expect(placed.length).toBeGreaterThanOrEqual(slots.length);
        for (const each of fresh) expect(placed).toContain(each);
      }),
    );
  });

  it('go first to outputs that lack a file when they are fewer and no path tells', () => {
    const slots = [slot('a', true), slot('b', false), slot('c', true)];
    expect(placeResults(slots, [url('x')])).toEqual([url('a'), url('x'), url('c')]);
  });

  it('go by their place when as many come and no path tells', () => {
    const slots = [slot('a', true), slot('b', false)];
    expect(placeResults(slots, [url('x'), url('y')])).toEqual([url('x'), url('y')]);
  });

  it('of one path go by their order', () => {
    const slots = [slot('get', true), slot('get', false)];
    expect(placeResults(slots, [url('get', 7), url('get', 8)])).toEqual([url('get', 7), url('get', 8)]);
  });
});
