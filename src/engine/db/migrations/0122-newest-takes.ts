import type { Migration } from '../migrate.ts';

/** The newest takes of a project are found without sorting all of them. Written when a file of a take is published. */
export const newestTakes: Migration = {
  version: 122,
  name: 'newest takes',
  up(db) {
    db.exec('CREATE INDEX jobs_newest ON jobs(project_id, updated_at) WHERE viewable = 1');
  },
};
