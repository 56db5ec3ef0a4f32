import type { Migration } from '../migrate.ts';

/** A submit of unknown fate whose task the service may list has a next step: a look at that list. */
export const lookedFor: Migration = {
  version: 165,
  name: 'looked-for',
  up(db) {
    db.exec(`
      DROP INDEX jobs_due;
      ALTER TABLE jobs DROP COLUMN step;
      ALTER TABLE jobs ADD COLUMN step TEXT GENERATED ALWAYS AS (CASE state
        WHEN 'needs_assets' THEN 'prepare'
        WHEN 'ready' THEN 'submit'
        WHEN 'accepted' THEN 'poll'
        WHEN 'polling' THEN 'poll'
        WHEN 'downloading' THEN 'download'
        WHEN 'submit_unknown' THEN iif(facts ->> '$.look' IS NULL, NULL, 'poll')
      END) VIRTUAL;
      CREATE INDEX jobs_due ON jobs(step, due_at) WHERE paused IS NULL AND step IS NOT NULL;
    `);
  },
};
