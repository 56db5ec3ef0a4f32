import { messageFor, type Text } from '../../../contract/messages/message.ts';
import { basename } from 'node:path';
import type { Described, Describer, DescribeRequest } from '../../../contract/tool.ts';
import type { Failure } from '../../../contract/failure.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import { isObject, jobRefusalIn, toText } from '../../api/answer.ts';
import type { PollOutcome } from '../../api/calls.ts';
import { NotStartedError, QUEUE_TIMEOUT_MS } from '../../api/request-queue.ts';
import { images } from '../../api/resources/requests.ts';
import { readTaskIds } from '../../api/wire-schemas.ts';
import type { Account } from '../../db/service-store.ts';
import type { Library } from '../../library/library.ts';
import { toolPath, type ToolResult, type ToolRunner } from '../tool-runner.ts';
import type { Json } from '../../../contract/json.ts';
import type { StepContext } from '../../jobs/step-context.ts';
import { formats } from '../../../contract/formats.ts';
import { refused } from '../../base/errors.ts';
import { openFile, pathOfOpen } from '../../files/project-files.ts';
import { toPath, placeIn } from '../../files/place.ts';

/** A picture on this machine, and the project whose service describes it; null for the service in the settings. */
interface PictureFile {
  readonly path: string;
  /** A path to the very file that is open, where the system has one. */
  readonly sentPath: string;
  readonly projectId: string | null;
  close(): Promise<void>;
}

/** How often a task is polled, and for how long, ms. */
const ASK_EVERY_MS = 3000;
const ASK_FOR_MS = 600_000;

/** Asks the service to describe a picture. Each call is billed. An accepted task is polled again, never paid again. */
export function openDescribe(runner: ToolRunner, context: StepContext, library: (projectId?: string) => Library) {
  const { clients, ports } = context;
  const failed = (code: string, message: Text, remedy: Text, cost: Failure['cost']): Failed => ({
    ...{ type: 'failed', failure: { code, message, remedy, cost, at: ports.clock.now() } },
  });

  async function describe(
    file: PictureFile,
    { describer, isAgreed }: DescribeRequest,
    signal: AbortSignal | undefined,
  ): Promise<Described> {
    const request = describer === 'job' ? jobRequest(file) : await typographyRequest(file, signal);
    if ('type' in request) return request;
    const about = messageFor('tools.aboutDescribe', { file: basename(file.path) });
    const ask = { tool: 'describe' as const, about, projectId: file.projectId, request, isAgreed };
    const result = await runner.run(ask, signal);
    if (result.type === 'failed') return result;
    const finished = describer === 'job' ? await finishedTask(result, file, signal) : result;
    return runner.read(finished, 'description', (_answer, json) => {
      const texts = readDescriptions(json, describer);
      return texts.length > 0 ? { type: 'described' as const, texts } : null;
    });
  }

  function jobRequest({ sentPath: path }: PictureFile): PlannedRequest {
    const { settings } = context;
    const files = [{ field: 'base64Array', path, as: settings.assumed.inlineImages }];
    return images.submitJob('describe', {}, toolPath(settings, 'jobSubmit'), files);
  }

  /** Typography needs an address, so the picture is uploaded to the library first, which is free. */
  async function typographyRequest(
    { path, projectId }: PictureFile,
    signal?: AbortSignal,
  ): Promise<PlannedRequest | Failed> {
    const assets = library(projectId ?? undefined);
    const [report] = await assets.upload([path], { role: 'reference_image' }, signal);
    if (!report?.ok) {
      const { code = 'not_uploaded', problem = messageFor('failure.notUploaded'), remedy = '' } = report ?? {};
      return failed(code, problem, remedy, 'nothing');
    }
    const readiness = (await assets.untilReady([report.assetId], signal)).get(report.assetId);
    if (readiness === 'ready') return images.typography('describe', { image_url: report.reference });
    const message = messageFor('failure.pictureNotReady');
    return failed('asset_not_ready', message, messageFor('remedy.runLaterOrOther'), 'nothing');
  }

  async function finishedTask(result: Accepted, { projectId }: PictureFile, signal?: AbortSignal): Promise<ToolResult> {
    const { clock } = ports;
    const taskId = result.type === 'accepted' ? result.taskId : readTaskIds(result.json)?.taskId;
    if (taskId === undefined) return result;
    const account = result.type === 'accepted' ? result.account : runner.accountOf(projectId);
    for (const end = clock.now() + ASK_FOR_MS; clock.now() < end;) {
      const outcome = await askAbout(account, taskId, signal);
      if (outcome?.type === 'task' && outcome.status === 'succeeded') {
        const json = outcome.answer;
        const wasPaid = result.type === 'answered' && result.wasPaid;
        return { type: 'answered', callId: result.callId, answer: Buffer.from(JSON.stringify(json)), json, wasPaid };
      }
      if (outcome?.type === 'task' && outcome.status !== 'pending') {
        const reason = outcome.complaint?.message ?? messageFor('failure.noReason');
        const message = messageFor('failure.notDescribed', { reason });
        const notDescribed = failed('not_described', message, messageFor('remedy.describeOther'), 'maybe');
        runner.markUnread(result.callId, notDescribed.failure);
        return notDescribed;
      }
      await clock.sleep(ASK_EVERY_MS, signal ? { signal } : {});
    }
    const message = messageFor('failure.stillDescribing', { task: taskId });
    return failed('not_done', message, messageFor('remedy.runAgainFree'), 'charged');
  }

  /** Null if the account cannot be polled now. */
  async function askAbout(account: Account, taskId: string, signal?: AbortSignal): Promise<PollOutcome | null> {
    const client = clients.forAccount(account);
    if (!client) return null;
    const path = images.path(taskId, toolPath(context.settings, 'jobTask'));
    try {
      return await clients.queues(account).poll.run(() => client.poll(path, { signal }), {
        patienceMs: QUEUE_TIMEOUT_MS,
        ...(signal && { signal }),
      });
    } catch (error) {
      if (error instanceof NotStartedError && !signal?.aborted) return null;
      throw error;
    }
  }

  return {
    async describe(request: DescribeRequest, signal?: AbortSignal): Promise<Described> {
      const file = await openPictureFile(context, request.picture);
      try {
        return await describe(file, request, signal);
      } finally {
        await file.close();
      }
    },
  };
}

type Failed = Extract<ToolResult, { type: 'failed' }>;
type Accepted = Exclude<ToolResult, { type: 'failed' }>;

const MOST = 10;
const LONGEST = 20_000;

/** Fields that may contain a description. The reference does not show typography's answer. */
const NAMES = ['finalPrompt', 'descriptions', 'text', 'promptEn', 'prompt'];
/** The job-style response says under `description` what became of the request. */
const NAMES_BY: Readonly<Record<Describer, readonly string[]>> = { typo: ['description', ...NAMES], job: NAMES };
const WRAPPERS = ['properties', 'data', 'result', 'results', 'output'];

export function readDescriptions(answer: Json | undefined, describer: Describer, depth = 0): string[] {
  if (depth > 4 || answer === undefined) return [];
  const read = (inner: Json) => readDescriptions(inner, describer, depth + 1);
  if (Array.isArray(answer)) return distinct(answer.flatMap(read));
  if (typeof answer === 'string') return depth === 0 ? [] : distinct([toText(answer) ?? '']);
  if (!isObject(answer) || jobRefusalIn(answer)) return [];
  const inside = WRAPPERS.flatMap((name) =>
    isObject(answer[name]) || Array.isArray(answer[name]) ? (answer[name] as Json) : [],
  );
  const found = [
    ...inside.filter(isObject).flatMap(read),
    ...NAMES_BY[describer].flatMap((name) => (answer[name] === undefined ? [] : read(answer[name]))),
  ];
  return distinct(found);
}

const distinct = (texts: readonly string[]): string[] =>
  [...new Set(texts.map((text) => text.trim().slice(0, LONGEST)).filter((text) => text !== ''))].slice(0, MOST);

/**
 * The picture that the person chose; the caller closes it. One of a take is opened through the door to its project, and
 * its path leads to what was opened. Throws RefusedError if the take has no such file or it is not a still, and
 * ProjectFileError.
 */
async function openPictureFile(
  { jobs, outputs, projects }: StepContext,
  picture: DescribeRequest['picture'],
): Promise<PictureFile> {
  if ('path' in picture) {
    return { ...{ path: picture.path, sentPath: picture.path, projectId: null }, close: () => Promise.resolve() };
  }
  const job = jobs.get(picture.takeId);
  const project = job && projects.get(job.projectId);
  const output = outputs.outputs(picture.takeId).find(({ number }) => number === picture.output);
  if (project && output && formats[output.format].medium === 'still') {
    const place = placeIn(project.path, output.file);
    const file = await openFile(place, 'read');
    const paths = { path: toPath(place), sentPath: pathOfOpen(place, file) };
    return { ...paths, projectId: project.id, close: () => file.handle.close() };
  }
  throw refused('no_such_picture', 'failure.noSuchPicture');
}
