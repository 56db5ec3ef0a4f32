import { AssetStore } from './asset-store.ts';
import { AssetUseStore } from './asset-use-store.ts';
import { BatchStore } from './batch-store.ts';
import { HistoryStore } from './history-store.ts';
import { JobQueries } from './job-queries.ts';
import { JobStore } from './job-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { MeaningStore } from './meaning-store.ts';
import { MediaStore } from './media-store.ts';
import { NightSpans, NightStore } from './night-store.ts';
import { Store, type EngineDatabase } from './connection.ts';
import { OutputStore } from './output-store.ts';
import { AgentStore, AgreementStore } from './permission-store.ts';
import { PresetStore, VariableStore } from './prompt-library-store.ts';
import { ProjectFilesStore } from './project-files-store.ts';
import { ProjectStore } from './project-store.ts';
import { ReviewStore } from './review-store.ts';
import { ServiceStore } from './service-store.ts';
import { ExtrasStore, SourceStore } from './source-store.ts';
import { TakeTally } from './take-tally.ts';
import { ToolStore } from './tool-store.ts';
import { UploadStore } from './upload-store.ts';
import { LimitStore, WindowStore } from './limit-store.ts';
import { Place } from '../../contract/place.ts';
import { type SavedView, ViewFilter } from '../../contract/review.ts';

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
export class PlaceStore extends Store {
  /** Null before the first one, and where another version has written what we cannot read. */
  last(): Place | null {
    const text = this.hints.value<string>`SELECT place FROM last_place`;
    return text === null ? null : (Place.safeParse(JSON.parse(text)).data ?? null);
  }

  keep(place: Place): void {
    this.hints.run`INSERT OR REPLACE INTO last_place (id, place) VALUES (1, ${place})`;
  }
}

export class SavedViewStore extends Store {
  /** Sorted by name. Leaves out views that a later version wrote and this one cannot read. */
  list(projectId: string): SavedView[] {
    const rows = this.facts.all<Omit<SavedView, 'filter'> & { readonly filter: string }>`
      SELECT id, project_id, name, filter FROM saved_views WHERE project_id = ${projectId} ORDER BY name`;
    return rows.flatMap((row) => {
      const { data } = ViewFilter.safeParse(JSON.parse(row.filter));
      return data ? [{ ...row, filter: data }] : [];
    });
  }

  save({ id, projectId, name, filter }: SavedView): void {
    this.facts
      .run`INSERT INTO saved_views (id, project_id, name, filter) VALUES (${id}, ${projectId}, ${name}, ${filter})
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, filter = excluded.filter
      WHERE project_id = excluded.project_id`;
  }

  remove(projectId: string, id: string): void {
    this.facts.run`DELETE FROM saved_views WHERE id = ${id} AND project_id = ${projectId}`;
  }
}
