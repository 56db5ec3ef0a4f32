import type { Migration } from '../migrate.ts';

/**
 * The fields that review sorts takes by are in their own rows, so one index answers order, count and page. The index
 * does not change with a job's state, only when its first file is published.
 */
export const takesInOrder: Migration = {
  version: 90,
  name: 'takes in order',
  up(db) {
    db.exec(`
      -- Position of the take's own shot.
      ALTER TABLE jobs ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
      -- 1 when there is a file to look at: the take is saved, or some of its files are there and more are to come.
      ALTER TABLE jobs ADD COLUMN viewable INTEGER NOT NULL DEFAULT 0 CHECK (viewable IN (0, 1));
      UPDATE jobs SET position = COALESCE((SELECT position FROM shots WHERE id = shot_id), 0), viewable = ${isViewable('jobs')};

      CREATE INDEX jobs_in_order ON jobs(batch_id, position, shot_key, take, viewable, kind, model);
      CREATE UNIQUE INDEX batches_in_order ON batches(project_id, created_at, id);

      CREATE TRIGGER shot_moved AFTER UPDATE OF position ON shots BEGIN
        UPDATE jobs SET position = NEW.position WHERE shot_id = NEW.id;
      END;
      CREATE TRIGGER file_found AFTER INSERT ON outputs WHEN NEW.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = 1 WHERE id = NEW.job_id AND viewable = 0;
      END;
      CREATE TRIGGER file_published AFTER UPDATE OF file ON outputs WHEN NEW.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = 1 WHERE id = NEW.job_id AND viewable = 0;
      END;
      CREATE TRIGGER file_forgotten AFTER DELETE ON outputs WHEN OLD.file IS NOT NULL BEGIN
        UPDATE jobs SET viewable = ${isViewable('jobs')} WHERE id = OLD.job_id;
      END;
      CREATE TRIGGER files_lost_or_back AFTER UPDATE OF state ON jobs
      WHEN NEW.state = 'saved' OR 'result_lost' IN (OLD.state, NEW.state) BEGIN
        UPDATE jobs SET viewable = ${isViewable('NEW')} WHERE seq = NEW.seq AND viewable <> ${isViewable('NEW')};
      END;
    `);
  },
};

/** Outputs remember files that were removed. */
function isViewable(job: 'jobs' | 'NEW'): string {
  return `(${job}.state = 'saved' OR ${job}.facts ->> '$.failure.code' IS NOT 'files_gone'
    AND EXISTS (SELECT 1 FROM outputs WHERE outputs.job_id = ${job}.id AND outputs.file IS NOT NULL))`;
}
