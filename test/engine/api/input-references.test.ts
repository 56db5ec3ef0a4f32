import { unboundReferences } from '../../../src/engine/api/read-outcome.ts';
import { describe, expect, it } from 'vitest';

const said = (...input_references: unknown[]) => unboundReferences({ input_references } as never);

describe('the references of a task', () => {
  it('that were not bound are named by alias and role, else by their place', () => {
    expect(
      said(
        { alias: 'hero', role: 'reference_image', type: 'image', binding_status: 'failed' },
        { alias: '@stair', role: 'reference_image', type: 'image', binding_status: 'bound' },
        { alias: null, type: 'video', binding_status: 'NOT_FOUND' },
        { binding_status: 'rejected' },
      ),
    ).toEqual(['@hero (reference_image)', '#3 (video)', '#4']);
  });

  it.each(['bound', 'BOUND', 'pending', 'binding', 'ok', '', undefined, null, 7])('raise no alarm for %j', (status) => {
    expect(said({ alias: 'hero', binding_status: status })).toEqual([]);
  });

  it('are looked for in the record that an answer wraps too, and anything may be there', () => {
    expect(unboundReferences({ data: { input_references: [{ binding_status: 'failed' }] } })).toEqual(['#1']);
    expect(said(null, 7, 'x', [], {})).toEqual([]);
    expect(unboundReferences({ input_references: 'none' })).toBeNull();
    expect(unboundReferences({})).toBeNull();
  });

  it('are read in bounded time and size, however many and long', () => {
    const many = Array.from({ length: 50_000 }, () => ({ alias: 'x'.repeat(1000), binding_status: 'failed' }));
    const read = unboundReferences({ input_references: many });
    expect(read?.length).toBe(100);
    expect(read?.every((name) => name.length <= 200)).toBe(true);
  });
});
