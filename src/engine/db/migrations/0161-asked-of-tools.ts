import type { Migration } from '../migrate.ts';

/** What a person asked a tool, so that a call that was left open is shown again where it was asked. */
export const askedOfTools: Migration = {
  version: 161,
  name: 'asked-of-tools',
  up(db) {
    db.exec(`ALTER TABLE tool_calls ADD COLUMN asked TEXT`);
  },
};
