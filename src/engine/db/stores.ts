import { AssetStore, AssetUseStore, MediaStore } from './asset-store.ts';
import { BatchStore } from './batch-store.ts';
import { CutStore } from './cut-store.ts';
import { HistoryStore } from './history-store.ts';
import { JobQueries, TakeCounter } from './job-queries.ts';
import { JobStore } from './job-store.ts';
import { LedgerStore } from './ledger-store.ts';
import { MeaningStore, ToolStore } from './tool-store.ts';
import { NightSpans, NightStore } from './night-store.ts';
import { Store, type EngineDatabase } from './connection.ts';
import { OutputStore, ProjectFilesStore } from './output-store.ts';
import { AgentStore, AgreementStore, LimitStore, WindowStore } from './limit-store.ts';
import { PresetStore, VariableStore } from './prompt-library-store.ts';
import { ProjectStore } from './project-store.ts';
import { ReviewStore } from './review-store.ts';
import { ServiceStore } from './service-store.ts';
import { ExtrasStore, SourceStore } from './source-store.ts';
import { UploadStore } from './upload-store.ts';
import { WindowPlace } from '../../contract/place.ts';
import { type SavedView, ViewFilter } from '../../contract/review.ts';

export type Stores = ReturnType<typeof openStores>;

export function openStores(db: EngineDatabase, libraryChanged: () => void) {
  return {
    jobs: new JobStore(db),
    queries: new JobQueries(db),
    tally: new TakeCounter(db),
    batches: new BatchStore(db),
    projects: new ProjectStore(db),
    agents: new AgentStore(db),
    agreements: new AgreementStore(db),
    files: new ProjectFilesStore(db),
    outputs: new OutputStore(db),
    sources: new SourceStore(db),
    extras: new ExtrasStore(db),
    review: new ReviewStore(db),
    savedViews: new SavedViewStore(db),
    cuts: new CutStore(db),
    variables: new VariableStore(db),
    presets: new PresetStore(db),
    assets: new AssetStore(db, libraryChanged),
    media: new MediaStore(db),
    uploads: new UploadStore(db),
    uses: new AssetUseStore(db),
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
  last(): WindowPlace | null {
    const text = this.hints.value<string>`SELECT place FROM last_place`;
    return text === null ? null : (WindowPlace.safeParse(JSON.parse(text)).data ?? null);
  }

  keep(place: WindowPlace): void {
    this.hints.run`INSERT OR REPLACE INTO last_place (id, place) VALUES (1, ${place})`;
  }
}

export class SavedViewStore extends Store {
  list(projectId: string): SavedView[] {
    const rows = this.facts.all<SavedView>`
      SELECT id, project_id, name, filter FROM saved_views WHERE project_id = ${projectId} ORDER BY name`;
    return rows.flatMap((row) => {
      const { data } = ViewFilter.safeParse(row.filter);
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
