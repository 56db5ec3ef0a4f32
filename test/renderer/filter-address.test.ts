import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Grouping, TakeFilter, type ViewFilter } from '../../src/contract/review.ts';
import { isSameFilter, toDetail, toFilter, toViewFilter } from '../../src/renderer/lib/filter-address.ts';

const { kind, standing, flag, sort } = TakeFilter.shape;
const [byWord, byColumn] = Grouping.options;
const words = fc.string({ minLength: 1, maxLength: 20 });
const orNone = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const oneOf = <Value>(values: readonly Value[]) => fc.constantFrom(...values);

const rated = fc.oneof(
  fc.constant({}),
  fc.record({ minRating: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ rating: fc.integer({ min: 0, max: 5 }) }),
);
const filters: fc.Arbitrary<ViewFilter> = fc
  .tuple(
    fc.record({
      ...{ batchId: orNone(words), model: orNone(words), text: orNone(words) },
      ...{ kind: orNone(oneOf(kind.unwrap().options)), standing: orNone(oneOf(standing.unwrap().options)) },
      ...{ flag: orNone(oneOf(flag.unwrap().options)), sort: oneOf(sort.unwrap().options) },
      group: orNone(
        fc.oneof(
          fc.record({ by: oneOf(byWord.shape.by.options) }),
          fc.record({ by: fc.constant(byColumn.shape.by.value), column: words }),
        ),
      ),
    }),
    rated,
  )
  .map(([filter, rating]) => ({ ...filter, ...rating }));

/** As navigation keeps it: a field without a value is none. */
const inAddress = (filter: ViewFilter): Record<string, string> =>
  Object.fromEntries(Object.entries(toDetail(filter)).filter(([, value]) => value !== ''));

it('reads from the address the filter that was written there', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      expect(toFilter(inAddress(filter))).toEqual(filter);
    }),
  );
});

it('reads nothing from an address that the engine would refuse, and writes what it read', () => {
  const fields = Object.keys(toDetail({ sort: 'list' }));
  const typed = fc.dictionary(oneOf(fields), fc.oneof(words, oneOf(['just3', 'just6', '7', 'column:', 'pick', 'all'])));
  fc.assert(
    fc.property(typed, (detail) => {
      const filter = { projectId: 'p', ...toFilter(detail) };
      expect(TakeFilter.parse(filter)).toEqual(filter);
      const kept = toViewFilter(filter);
      expect(toFilter(inAddress(kept))).toEqual(kept);
    }),
  );
});

it('takes out of the address what a view does not keep', () => {
  const nothing = { batch: '', kind: '', standing: '', model: '', rating: '', flag: '', text: '', sort: '', group: '' };
  expect(toDetail({ sort: 'list', standing: 'saved' })).toEqual({ ...nothing, since: '', near: '', nearBy: '' });
});

it('knows a view by what it finds', () => {
  expect(isSameFilter({ sort: 'list', flag: 'pick' }, { flag: 'pick', text: undefined, sort: 'list' })).toBe(true);
  expect(isSameFilter({ sort: 'list' }, { sort: 'list', standing: 'saved' })).toBe(false);
});
