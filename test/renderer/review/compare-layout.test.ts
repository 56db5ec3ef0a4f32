import { describe, expect, it } from 'vitest';
import { columnsFor } from '../../../src/renderer/views/review/compare/layout.ts';

const wide = { width: 1000, height: 720 };

describe('takes side by side', () => {
  it('stand in as many columns as show them largest', () => {
    expect(columnsFor(3, wide, 16 / 9)).toBe(2);
    expect(columnsFor(4, wide, 16 / 9)).toBe(2);
    expect(columnsFor(3, wide, 9 / 16)).toBe(3);
    expect(columnsFor(4, { width: 2600, height: 700 }, 9 / 16)).toBe(4);
  });

  it('stay beside each other when they are two, unless the window is far too narrow for that', () => {
    expect(columnsFor(2, wide, 16 / 9)).toBe(2);
    expect(columnsFor(2, { width: 500, height: 900 }, 16 / 9)).toBe(1);
  });

  it('have a place before the window has been measured', () => {
    expect(columnsFor(3, { width: 0, height: 0 }, 16 / 9)).toBeGreaterThan(0);
  });
});
