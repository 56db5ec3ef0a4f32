import type { Migration } from '../migrate.ts';

/** Texts that prompts name, and settings that rows take over, of a project or of all of them. */
export const promptLibrary: Migration = {
  version: 195,
  name: 'prompt library',
  up(db) {
    db.exec(`
      CREATE TABLE prompt_variables (
        -- Empty for one of every project.
        project_id TEXT NOT NULL,
        name TEXT NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (project_id, name)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE presets (
        id TEXT PRIMARY KEY,
        -- Empty for one of every project.
        project_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        cells TEXT NOT NULL,
        UNIQUE (project_id, kind, name)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
