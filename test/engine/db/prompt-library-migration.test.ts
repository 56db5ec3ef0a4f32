import { expect, it } from 'vitest';
import { PresetStore } from '../../../src/engine/db/preset-store.ts';
import { VariableStore } from '../../../src/engine/db/variable-store.ts';
import { migratedFrom } from './earlier-database.ts';

it('a database of the version before gets an empty prompt library', () => {
  const db = migratedFrom(195, () => undefined);
  const [variables, presets] = [new VariableStore(db), new PresetStore(db)];
  expect([variables.list(null), presets.list(null)]).toEqual([[], []]);
  variables.set({ projectId: 'p', name: 'hero', text: 'A woman' });
  presets.save({ id: '1', projectId: null, kind: 'video', name: 'Draft', cells: { size: '480p' } });
  expect([variables.list(null), variables.list('p').length, presets.list('p').length]).toEqual([[], 1, 1]);
  expect(db.facts.pragma('integrity_check', { simple: true })).toBe('ok');
});
