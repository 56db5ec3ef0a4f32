import type { Migration } from '../migrate.ts';

/** Tags are part of a verdict, and in the rows of takes too: an index has those that are tagged, to find and to list. */
export const tags: Migration = {
  version: 190,
  name: 'tags',
  up(db) {
    db.exec(`
      -- JSON: the tags in their order.
      ALTER TABLE verdicts ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
      ALTER TABLE jobs ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
      CREATE TRIGGER take_tagged AFTER INSERT ON verdicts WHEN NEW.tags <> '[]' BEGIN
        UPDATE jobs SET tags = NEW.tags WHERE id = NEW.job_id;
      END;
      CREATE TRIGGER take_retagged AFTER UPDATE OF tags ON verdicts WHEN NEW.tags <> OLD.tags BEGIN
        UPDATE jobs SET tags = NEW.tags WHERE id = NEW.job_id;
      END;
      CREATE INDEX jobs_tagged ON jobs(project_id, tags) WHERE tags <> '[]';
    `);
  },
};
