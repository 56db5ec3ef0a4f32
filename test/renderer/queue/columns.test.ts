import { expect, it } from 'vitest';
import { columnsFor } from '../../../src/renderer/views/queue/grid/columns.ts';
import { groups } from '../../../src/renderer/views/queue/rows/groups.ts';

/** Padding of a row and its scroll bar, and what lies between two columns. */
const AROUND = 42;
const BETWEEN = 12;

const leastWidth = (width: string): number => Number(/(\d+)px/.exec(width)?.[1]);

it('has no more columns than fit beside the details, however narrow the window', () => {
  for (const { name } of groups) {
    for (let width = 500; width <= 1600; width += 5) {
      const columns = columnsFor(name, width);
      const least = columns.reduce((sum, column) => sum + leastWidth(column.width), BETWEEN * (columns.length - 1));
      expect(least + AROUND, `${name} at ${width}`).toBeLessThanOrEqual(width);
    }
  }
});

it.each(['failed', 'undecided'] as const)('says what a take that is %s costs before it names the model', (group) => {
  const names = columnsFor(group, 760).map(({ name }) => name);
  expect(names).toContain('cost');
  expect(names).not.toContain('model');
});
