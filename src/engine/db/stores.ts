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
import { PlaceStore } from './place-store.ts';
import { PresetStore } from './preset-store.ts';
import { ProjectStore } from './project-store.ts';
import { ReviewStore } from './review-store.ts';
import { SavedViewStore } from './saved-view-store.ts';
import { ServiceStore } from './service-store.ts';
import { SourceStore } from './source-store.ts';
import { TakeTally } from './take-tally.ts';
import { ToolStore } from './tool-store.ts';
import { UploadStore } from './upload-store.ts';
import { LimitStore } from './limit-store.ts';
import { VariableStore } from './variable-store.ts';
import { WindowStore } from './window-store.ts';

export type Stores = ReturnType<typeof openStores>;

/** A store for each noun, over one database. */
export function openStores(db: EngineDatabase, libraryChanged: () => void) {
  const queries = new JobQueries(db);
  const assets = new AssetStore(db, libraryChanged);
  return {
    jobs: new JobStore(db),
    queries,
    tally: new TakeTally(db),
    batches: new BatchStore(db),
    projects: new ProjectStore(db),
    agreements: new AgreementStore(db),
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
