import { expect, it } from 'vitest';
import type { ViewFilter } from '../../src/contract/review.ts';
import { toDetail, isSameFilter } from '../../src/renderer/lib/view-detail.ts';

it('puts everything that a view keeps into the address, and takes out what it does not', () => {
  expect(toDetail({ sort: 'list', standing: 'saved' })).toEqual({
    ...{ batch: '', kind: '', standing: '', model: '', rating: '', flag: '', text: '', near: '', nearBy: '' },
    ...{ sort: '', group: '' },
  });
  const full: ViewFilter = {
    ...{ batchId: 'b', kind: 'video', model: 'm', flag: 'none', text: 'tag:hero', sort: 'rating', minRating: 3 },
    group: { by: 'column', column: 'Scene' },
  };
  expect(toDetail(full)).toMatchObject({ standing: 'all', rating: '3', group: 'column:Scene', sort: 'rating' });
  expect(toDetail({ ...full, minRating: undefined, rating: 0 })).toMatchObject({ rating: 'just0' });
});

it('knows a view by what it finds', () => {
  expect(isSameFilter({ sort: 'list', flag: 'pick' }, { flag: 'pick', text: undefined, sort: 'list' })).toBe(true);
  expect(isSameFilter({ sort: 'list' }, { sort: 'list', standing: 'saved' })).toBe(false);
});
