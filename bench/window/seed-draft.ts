import { mkdirSync } from 'node:fs';
import { openDatabase } from '../../src/engine/db/open.ts';
import { ProjectStore } from '../../src/engine/db/project-store.ts';
import { writeDraft } from '../../src/engine/batches/draft-file.ts';
import { join } from 'node:path';
import { PROJECT } from './seed-project.ts';

export const DRAFT = 'draft';

const headers = ['shot', 'scene', 'kind', 'model', 'prompt', 'duration', 'aspect_ratio', 'takes', 'notes'];

/** A project with a long list opened in it: nine columns, as producers have them, and a defect now and then. */
export async function seedDraft(dataFolder: string, projectPath: string, rows: number): Promise<void> {
  mkdirSync(join(projectPath, '.dailies'), { recursive: true });
  const db = openDatabase(dataFolder);
  new ProjectStore(db).save({ id: PROJECT, path: projectPath, name: 'Film' }, Date.now());
  db.close();
  await writeDraft(
    projectPath,
    {
      format: 1,
      id: DRAFT,
      name: 'shots',
      source: 'shots.csv',
      listFolder: projectPath,
      createdAt: Date.now(),
      encoding: 'utf-8',
      delimiter: ',',
      sheet: null,
      sheets: [],
      revision: 0,
      kind: null,
      mapping: {},
      defects: [],
      headers,
      rows: Array.from({ length: rows }, (_, index) => rowOf(index)),
    },
    null,
  );
}

const rowOf = (index: number): string[] => [
  `SC${String(index).padStart(6, '0')}`,
  String(index % 97),
  'video',
  'vgen-2.0-cl-fast',
  `Shot ${index}: a lighthouse in a storm, waves breaking over the rocks, slow dolly in, cold morning light`,
  // Longer than any model makes: marked in the grid.
  index % 211 === 0 ? '500' : '5',
  '16:9',
  '2',
  index % 5 === 0 ? 'ask the director' : '',
];
