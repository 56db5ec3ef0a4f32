import type Database from 'better-sqlite3';
import { Place } from '../../contract/place.ts';
import type { EngineDatabase } from './open.ts';

/** Where a window was last, for the next one that opens. A hint: after a power cut it is the place before. */
export class PlaceStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.hints;
  }

  /** Null before the first one, and where another version has written what we cannot read. */
  last(): Place | null {
    const text = this.#db.prepare('SELECT place FROM last_place').pluck().get() as string | undefined;
    return text === undefined ? null : (Place.safeParse(JSON.parse(text)).data ?? null);
  }

  keep(place: Place): void {
    this.#db.prepare('INSERT OR REPLACE INTO last_place (id, place) VALUES (1, ?)').run(JSON.stringify(place));
  }
}
