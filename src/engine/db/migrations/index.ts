import type { Migration } from '../migrate.ts';
import { initial } from './0010-initial.ts';
import { library } from './0020-library.ts';
import { review } from './0030-review.ts';
import { attempts } from './0040-attempts.ts';
import { rounds } from './0050-rounds.ts';
import { outputs } from './0060-outputs.ts';
import { agreements } from './0070-agreements.ts';
import { jobStates } from './0080-job-states.ts';
import { takesInOrder } from './0090-takes-in-order.ts';
import { growth } from './0110-growth.ts';
import { ceilings } from './0120-ceilings.ts';
import { withoutResult } from './0121-without-result.ts';
import { newestTakes } from './0122-newest-takes.ts';
import { takeSources } from './0131-take-sources.ts';
import { toolCalls } from './0141-tool-calls.ts';
import { vectors } from './0142-vectors.ts';
import { askedOfTools } from './0161-asked-of-tools.ts';
import { lookedFor } from './0165-looked-for.ts';
import { takeExtras } from './0166-take-extras.ts';
import { judgedTakes } from './0167-judged-takes.ts';
import { ledger } from './0168-ledger.ts';
import { windows } from './0171-windows.ts';
import { takeOrder } from './0172-take-order.ts';
import { nightSpans } from './0173-night-spans.ts';
import { history } from './0180-history.ts';
import { projectChanges } from './0181-projects.ts';
import { batchChanges } from './0182-batches.ts';
import { trash } from './0185-trash.ts';
import { tags } from './0190-tags.ts';
import { shotColumns } from './0191-shot-columns.ts';
import { savedViews } from './0192-saved-views.ts';
import { promptLibrary } from './0195-prompt-library.ts';
import { trashLookups } from './0201-trash-lookups.ts';
import { batchOrder } from './0205-batch-order.ts';
import { savedAt } from './0210-saved-at.ts';
import { arrangements } from './0220-arrangements.ts';
import { batchStamps } from './3000-batch-stamps.ts';
import { copiedVariables } from './3100-copied-variables.ts';
import { limits } from './3110-limits.ts';
import { decisions } from './3300-decisions.ts';
import { freeService } from './3800-free-service.ts';
import { lastPlace } from './3810-last-place.ts';

/** Every step of the schema, in order. */
export const migrations: readonly Migration[] = [
  initial,
  library,
  review,
  attempts,
  rounds,
  outputs,
  agreements,
  jobStates,
  takesInOrder,
  growth,
  ceilings,
  withoutResult,
  newestTakes,
  takeSources,
  toolCalls,
  vectors,
  askedOfTools,
  lookedFor,
  takeExtras,
  judgedTakes,
  ledger,
  windows,
  takeOrder,
  nightSpans,
  history,
  projectChanges,
  batchChanges,
  trash,
  tags,
  shotColumns,
  savedViews,
  promptLibrary,
  trashLookups,
  batchOrder,
  savedAt,
  arrangements,
  batchStamps,
  copiedVariables,
  limits,
  decisions,
  freeService,
  lastPlace,
];
