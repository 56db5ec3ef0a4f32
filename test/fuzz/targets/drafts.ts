import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DraftRepository } from '../../../src/engine/batches/draft-repository.ts';
import { appendStep, writeDraft, type DraftFile } from '../../../src/engine/batches/draft-file.ts';
import type { Target } from '../target.ts';

const draft: DraftFile = {
  ...{ format: 1, id: 'draft', name: 'Night', source: 'a.csv', listFolder: null, createdAt: 1, encoding: 'utf-8' },
  ...{ delimiter: ',', sheet: null, sheets: [], revision: 0, kind: 'video', mapping: { a: 'prompt' }, defaults: {} },
  defects: [{ severity: 'error', row: 2, column: 'a', value: '', problem: 'p', remedy: 'r' }],
  ...{ headers: ['shot', 'a'], rows: [['1', 'x'], ['2']] },
};
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export function targetIn(folder: string): Target {
  const project = { id: 'p', path: folder, name: 'Film' };
  const drafts = join(folder, '.dailies', 'drafts');
  mkdirSync(drafts, { recursive: true });
  const [listFile, editsFile] = [join(drafts, 'draft.json'), join(drafts, 'draft.edits')];
  return {
    isJson: true,
    async samples() {
      await writeDraft(folder, draft, null);
      await appendStep(folder, 'draft', {
        edit: {
          type: 'cells',
          cells: [{ row: 0, column: 1, value: 'y' }],
          added: [['3', 'z']],
          below: [],
          columns: ['b'],
        },
      });
      await appendStep(folder, 'draft', { edit: { type: 'remove', rows: [0] } });
      await appendStep(folder, 'draft', { undo: true });
      await appendStep(folder, 'draft', { edit: { type: 'map', column: 1, to: null } });
      await appendStep(folder, 'draft', { named: 'Day' });
      const [list, edits] = [readFileSync(listFile), readFileSync(editsFile)];
      const lines = edits.toString('utf8').trimEnd().split('\n');
      return [list, edits, ...lines.map((line) => Buffer.from(line))];
    },
    async read(input) {
      const isList = input.includes('"headers"');
      await writeDraft(folder, draft, null);
      writeFileSync(isList ? listFile : editsFile, isList ? input : Buffer.concat([input, Buffer.from('\n')]));
      // What is read can be shown and checked.
      for (const read of await new DraftRepository(() => [project], silent).all(project)) {
        read.view();
        read.table();
      }
    },
  };
}
