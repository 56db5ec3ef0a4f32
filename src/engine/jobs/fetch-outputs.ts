import { messageFor } from '../../contract/messages/message.ts';
import type { DownloadProblem } from '../machine/failures.ts';
import type { JobStateOf, ResultLocation } from '../../contract/job.ts';
import type { Job } from '../db/job-store.ts';
import type { FetchedPart, SameContent } from '../db/output-store.ts';
import type { DownloadOutcome } from '../downloads/outcomes.ts';
import { sha256Of } from '../downloads/publish.ts';
import { toText } from '../base/errors.ts';
import { toPath, ProjectFileError } from '../files/place.ts';
import { look, makeFolder } from '../files/project-files.ts';
import { isDiskFull } from './disk-check.ts';
import { unpackOutput } from './kept-answers.ts';
import { discardPart, inspectPart, partFile, partsFolder } from './parts.ts';
import { projectFor } from './planning.ts';
import type { StepContext } from './step-context.ts';

type Downloading = JobStateOf<'downloading'>;
type FetchOutcome =
  | Exclude<DownloadOutcome, { type: 'complete' }>
  | ({ type: 'complete' } & FetchedPart)
  /** The project's disk cannot be written now, though it is not full: broken, or just unplugged. */
  | { type: 'folder_closed'; complaint: DownloadProblem };
type FetchTrouble = Exclude<FetchOutcome, { type: 'complete' }>;

export interface OutputTrouble {
  readonly number: number;
  readonly outcome: FetchTrouble;
}

const LEAVES_NO_ROOM: ReadonlySet<FetchTrouble['type']> = new Set(['aborted', 'disk_full', 'folder_closed']);

/** Fetches every file of a take that is not here yet, even when others fail. */
export async function fetchOutputs(
  context: StepContext,
  started: Job,
): Promise<{ job: Job; troubles: readonly OutputTrouble[] }> {
  const closed = await makePartsFolder(context, started);
  if (closed) return { job: started, troubles: [{ number: 1, outcome: closed }] };
  let job = started;
  const troubles: OutputTrouble[] = [];
  for (const index of (started.state as Downloading).results.keys()) {
    const number = index + 1;
    if (context.outputs.fetched(job.id, number)) continue;
    const fetched = await fetchOne(context, job, number);
    job = fetched.job;
    const { trouble: outcome } = fetched;
    if (outcome) troubles.push({ number, outcome });
    if (outcome && LEAVES_NO_ROOM.has(outcome.type)) break;
  }
  return { job, troubles };
}

async function fetchOne(
  context: StepContext,
  job: Job,
  number: number,
): Promise<{ job: Job; trouble: FetchTrouble | null }> {
  const outcome = await ask(context, job, number);
  if (outcome.type !== 'complete') return { job, trouble: outcome };
  const sameContent = context.outputs.sameContent(job.id, number, outcome.sha256);
  if (!sameContent) {
    // Recorded immediately, with its check result, so that the file can be identified after a power cut.
    const location = (job.state as Downloading).results[number - 1];
    const found = await inspectPart(context, job, number, outcome, location);
    context.outputs.saveFetched(job.id, number, 'problem' in found ? outcome : { ...outcome, ...found });
    return { job, trouble: null };
  }
  await discardPart(context, job, number);
  const swapped = swapAddresses(context, job, number, sameContent);
  if (swapped) return fetchOne(context, swapped, number);
  const message = messageFor('failure.sameFileAgain', { number: sameContent.number });
  return { job, trouble: { type: 'retry', complaint: { code: 'same_file', message }, retryAfterMs: null } };
}

/**
 * The new address of one output led to the content of another. Then the other's new address, which was not read yet,
 * may lead to this one. Null when it was read. Each swap leaves one address fewer to read, so this ends.
 */
function swapAddresses(context: StepContext, job: Job, number: number, sameContent: SameContent): Job | null {
  const { results } = job.state as Downloading;
  const [mine, others] = [results[number - 1], results[sameContent.number - 1]];
  if (mine?.at !== 'url' || others?.at !== 'url' || others.url === '' || others.url === sameContent.url) return null;
  const swapped = results.with(number - 1, others).with(sameContent.number - 1, mine);
  return context.advance(job, { type: 'readdressed', results: swapped }, () =>
    context.outputs.saveSource(job.id, sameContent.number, mine.url),
  );
}

async function ask(context: StepContext, job: Job, number: number): Promise<FetchOutcome> {
  const { results, attempt } = job.state as Downloading;
  const location = results[number - 1];
  const part = partFile(context, job, number);
  if (location && location.at !== 'url') return unpack(context, job, location, number);
  const outcome = await context.downloader.download({
    url: location?.url ?? '',
    part,
    resume: context.outputs.part(job.id, number),
    service: {
      origin: attempt.origin,
      authorization: () => {
        const key = context.clients.key(attempt);
        return key === null ? null : `Bearer ${key}`;
      },
    },
    maxBytes: context.settings.maxDownloadBytes,
    minFreeBytes: context.settings.minFreeBytes,
    signal: context.stopping,
    onPace: (isSlow) => context.notePace(job, isSlow),
    persist: (point) => context.outputs.savePart(job.id, number, point),
  });
  return outcome.type === 'complete' ? arrived(outcome) : outcome;
}

/** Unpacks a result that came inside an answer. */
async function unpack(context: StepContext, job: Job, location: ResultLocation, number: number): Promise<FetchOutcome> {
  const part = partFile(context, job, number);
  try {
    await unpackOutput(context, job, (job.state as Downloading).attempt, location, number);
  } catch (error) {
    return closedFolder(error);
  }
  try {
    const sha256 = await sha256Of(part);
    return arrived({ bytes: (await look(part))?.size ?? 0, sha256 });
  } catch (error) {
    if (error instanceof ProjectFileError) throw error;
    const message = messageFor('failure.answerFileGone', { path: toPath(part) });
    return { type: 'refused', complaint: { code: 'answer_gone', message } };
  }
}

async function makePartsFolder(context: StepContext, job: Job): Promise<FetchTrouble | null> {
  try {
    await makeFolder(partsFolder(projectFor(context, job)));
    return null;
  } catch (error) {
    return closedFolder(error);
  }
}

function closedFolder(error: unknown): FetchTrouble {
  if (error instanceof ProjectFileError) throw error;
  const message = messageFor('failure.folderUnwritable', { reason: toText(error) });
  if (isDiskFull(error)) return { type: 'disk_full', complaint: { code: 'disk_full', message }, neededBytes: null };
  return { type: 'folder_closed', complaint: { code: 'project_away', message } };
}

/** A file that is here and whole, but was not checked. */
const arrived = ({ bytes, sha256, contentType }: { bytes: number; sha256: string; contentType?: string }) => ({
  type: 'complete' as const,
  bytes,
  sha256,
  contentType: contentType ?? null,
  format: null,
  verified: false,
});
