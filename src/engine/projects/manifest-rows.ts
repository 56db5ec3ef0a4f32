import { ErrorWithText } from '../base/errors.ts';
import { messageFor, wordsOfOthers } from '../../contract/messages/message.ts';
import { remarksOfFile } from '../../contract/remarks.ts';
import type { BatchStore } from '../db/batch-store.ts';
import type { JobQueries } from '../db/job-queries.ts';
import type { ProjectStore } from '../db/project-store.ts';
import type { ManifestContent, ManifestRow } from './manifest.ts';
import { placeIn } from '../files/place.ts';
import { look } from '../files/project-files.ts';

/** The current content of a batch's manifest. Throws if the batch is unknown or its project is away. */
export async function manifestOf(
  stores: { batches: BatchStore; projects: ProjectStore; queries: JobQueries },
  batchId: string,
): Promise<ManifestContent> {
  const batch = stores.batches.get(batchId);
  const project = batch && stores.projects.get(batch.projectId);
  if (!batch || !project) throw new Error(`Batch ${batchId} is unknown.`);
  // An unplugged disk leaves an empty mount point, where nothing must be written.
  if ((await look(placeIn(project.path, '.dailies'))) === null) {
    throw new ErrorWithText(messageFor('failure.folderMissing', { folder: project.path }));
  }
  return { folder: placeIn(project.path, batch.folder), rows: rowsOf(stores.queries, batchId) };
}

function* rowsOf(queries: JobQueries, batchId: string): Generator<ManifestRow> {
  for (const { job, outputs } of queries.ofBatch(batchId)) {
    const take = {
      shot: job.shot,
      take: job.take,
      state: job.trash ?? job.state,
      model: job.model,
      ...(job.taskId !== undefined && { taskId: job.taskId }),
      ...(job.traceId !== undefined && { traceId: job.traceId }),
      ...(job.requestId !== undefined && { requestId: job.requestId }),
      ...(job.from && { from: job.from }),
      ...(job.failure && { error: job.failure.code, errorMessage: wordsOfOthers(job.failure.message) }),
    };
    if (outputs.length === 0) yield take;
    for (const output of outputs) {
      const { file, bytes, sha256 } = output;
      yield { ...take, file, bytes, sha256, remarks: remarksOfFile(job, output) };
    }
  }
}
