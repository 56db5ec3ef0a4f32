import { AgentStore } from './agent-store.ts';
import { AgreementStore } from './agreement-store.ts';
import { AssetStore } from './asset-store.ts';
import { AssetUseStore } from './asset-use-store.ts';
import { BatchStore } from './batch-store.ts';
import { ExtrasStore } from './extras-store.ts';
import { HistoryStore } from './history-store.ts';
import { JobQueries } from './job-queries.ts';
import { JobStore } from './job-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { MeaningStore } from './meaning-store.ts';
import { MediaStore } from './media-store.ts';
import { NightSpans } from './night-spans.ts';
import { NightStore } from './night-store.ts';
import type { EngineDatabase } from './open.ts';
import { OutputStore } from './output-store.ts';
import { PresetStore } from './preset-store.ts';
import { ProjectFilesStore } from './project-files-store.ts';
import { ProjectStore } from './project-store.ts';
import { ReviewStore } from './review-store.ts';
import { ServiceStore } from './service-store.ts';
import { SourceStore } from './source-store.ts';
import { TakeTally } from './take-tally.ts';
import { ToolStore } from './tool-store.ts';
import { UploadStore } from './upload-store.ts';
import { LimitStore } from './limit-store.ts';
import { VariableStore } from './variable-store.ts';
import { WindowStore } from './window-store.ts';
import type Database from 'better-sqlite3';
import { Place } from '../../contract/place.ts';
import { type SavedView, ViewFilter } from '../../contract/saved-views.ts';

export type Stores = ReturnType<typeof openStores>;

export function openStores(db: EngineDatabase, libraryChanged: () => void) {
  const queries = new JobQueries(db);
  const assets = new AssetStore(db, libraryChanged);
  return {
    jobs: new JobStore(db),
    queries,
    tally: new TakeTally(db),
    batches: new BatchStore(db),
    projects: new ProjectStore(db),
    agents: new AgentStore(db),
    agreements: new AgreementStore(db),
    files: new ProjectFilesStore(db),
    outputs: new OutputStore(db),
    sources: new SourceStore(db),
    extras: new ExtrasStore(db),
    review: new ReviewStore(db, queries),
    savedViews: new SavedViewStore(db),
    variables: new VariableStore(db),
    presets: new PresetStore(db),
    assets,
    media: new MediaStore(db),
    uploads: new UploadStore(db, assets),
    uses: new AssetUseStore(db, assets),
    ledger: new LedgerStore(db),
    windows: new WindowStore(db),
    limits: new LimitStore(db),
    nights: new NightStore(db),
    spans: new NightSpans(db),
    history: new HistoryStore(db),
    service: new ServiceStore(db),
    places: new PlaceStore(db),
    tools: new ToolStore(db),
    meanings: new MeaningStore(db),
  };
}

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

interface ViewRow extends Omit<SavedView, 'filter'> {
  readonly filter: string;
}

export class SavedViewStore {
  readonly #db: Database.Database;

  constructor(db: EngineDatabase) {
    this.#db = db.facts;
  }

  /** Sorted by name. Leaves out views that a later version wrote and this one cannot read. */
  list(projectId: string): SavedView[] {
    const rows = this.#db
      .prepare('SELECT id, project_id AS projectId, name, filter FROM saved_views WHERE project_id = ? ORDER BY name')
      .all(projectId) as ViewRow[];
    return rows.flatMap((row) => {
      const filter = ViewFilter.safeParse(JSON.parse(row.filter));
      return filter.success ? [{ ...row, filter: filter.data }] : [];
    });
  }

  save({ filter, ...view }: SavedView): void {
    this.#db
      .prepare(
        `INSERT INTO saved_views (id, project_id, name, filter) VALUES (@id, @projectId, @name, @filter)
         ON CONFLICT (id) DO UPDATE SET name = @name, filter = @filter WHERE project_id = @projectId`,
      )
      .run({ ...view, filter: JSON.stringify(filter) });
  }

  remove(projectId: string, id: string): void {
    this.#db.prepare('DELETE FROM saved_views WHERE id = ? AND project_id = ?').run(id, projectId);
  }
}
