import type { Migration } from '../migrate.ts';

/** `copied`: a project's copy of a text of every project, which travels with its folder. */
export const copiedVariables: Migration = {
  version: 3100,
  name: 'copied variables',
  up(db) {
    db.exec('ALTER TABLE prompt_variables ADD COLUMN copied INTEGER NOT NULL DEFAULT 0 CHECK (copied IN (0, 1))');
  },
};
