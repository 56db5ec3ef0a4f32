import type { Migration } from '../migrate.ts';

/** Keeps the input of each tool's call, so that an open call is shown again where it was made. */
export const askedOfTools: Migration = {
  version: 161,
  name: 'asked-of-tools',
  up(db) {
    db.exec(`ALTER TABLE tool_calls ADD COLUMN asked TEXT`);
  },
};
