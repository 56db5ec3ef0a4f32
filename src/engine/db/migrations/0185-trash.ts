import type { Migration } from '../migrate.ts';

/**
 * Takes whose files are in the project's trash, or were until it was emptied. Each move is written down before the
 * first file moves, so that a start after a kill completes it.
 */
export const trash: Migration = {
  version: 185,
  name: 'trash',
  up(db) {
    db.exec(`
      ALTER TABLE jobs ADD COLUMN trash TEXT
        CHECK (trash IN ('trashing', 'trashed', 'restoring', 'emptying', 'emptied'));
      -- Where a file belongs while it lies in the trash; relative to the project folder.
      ALTER TABLE outputs ADD COLUMN home TEXT;
      CREATE INDEX jobs_in_trash ON jobs(project_id, trash) WHERE trash IS NOT NULL;

      DROP TRIGGER file_found;
      DROP TRIGGER file_published;
      DROP TRIGGER file_forgotten;
      DROP TRIGGER files_lost_or_back;
      CREATE TRIGGER file_found AFTER INSERT ON outputs WHEN NEW.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = 1 WHERE id = NEW.job_id AND viewable = 0 AND trash IS NULL;
      END;
      CREATE TRIGGER file_published AFTER UPDATE OF file ON outputs WHEN NEW.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = 1 WHERE id = NEW.job_id AND viewable = 0 AND trash IS NULL;
      END;
      CREATE TRIGGER file_forgotten AFTER DELETE ON outputs WHEN OLD.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = ${isViewable('jobs')} WHERE id = OLD.job_id;
      END;
      CREATE TRIGGER files_lost_or_back AFTER UPDATE OF state ON jobs
      WHEN NEW.state = 'saved' OR 'result_lost' IN (OLD.state, NEW.state) BEGIN
        UPDATE jobs SET viewable = ${isViewable('NEW')} WHERE seq = NEW.seq AND viewable <> ${isViewable('NEW')};
      END;
      CREATE TRIGGER trashed_or_back AFTER UPDATE OF trash ON jobs BEGIN
        UPDATE jobs SET viewable = ${isViewable('NEW')} WHERE seq = NEW.seq AND viewable <> ${isViewable('NEW')};
      END;
    `);
  },
};

/** As before, and not in the trash. */
function isViewable(job: 'jobs' | 'NEW'): string {
  return `(${job}.trash IS NULL AND (${job}.state = 'saved' OR ${job}.facts ->> '$.failure.code' IS NOT 'files_gone'
    AND EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = ${job}.id AND outputs.file IS NOT NULL)))`;
}
