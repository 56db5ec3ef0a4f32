import { AgreementStore } from './db/agreement-store.ts';
import { AssetStore } from './db/asset-store.ts';
import { AssetUseStore } from './db/asset-use-store.ts';
import { BatchStore } from './db/batch-store.ts';
import { ExtrasStore } from './db/extras-store.ts';
import { HistoryStore } from './db/history-store.ts';
import { JobQueries } from './db/job-queries.ts';
import { JobStore } from './db/job-store.ts';
import { LedgerStore } from './db/ledger-store.ts';
import { MeaningStore } from './db/meaning-store.ts';
import { MediaStore } from './db/media-store.ts';
import { NightSpans } from './db/night-spans.ts';
import { NightStore } from './db/night-store.ts';
import type { EngineDatabase } from './db/open.ts';
import { OutputStore } from './db/output-store.ts';
import { PlaceStore } from './db/place-store.ts';
import { PresetStore } from './db/preset-store.ts';
import { ProjectStore } from './db/project-store.ts';
import { ReviewStore } from './db/review-store.ts';
import { SavedViewStore } from './db/saved-view-store.ts';
import { ServiceStore } from './db/service-store.ts';
import { SourceStore } from './db/source-store.ts';
import { TakeTally } from './db/take-tally.ts';
import { ToolStore } from './db/tool-store.ts';
import { UploadStore } from './db/upload-store.ts';
import { LimitStore } from './db/limit-store.ts';
import { VariableStore } from './db/variable-store.ts';
import { WindowStore } from './db/window-store.ts';

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
