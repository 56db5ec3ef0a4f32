import type { Api } from '../engine/connection.ts';
import { say } from '../../contract/messages/words.ts';
import type {
  AssetRole,
  Readiness,
  UploadMode,
  UploadProgress,
  UploadReport,
  UploadTarget,
} from '../../contract/asset.ts';
import { resolve } from 'node:path';
import { findGroup } from '../../engine/library/groups.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { remedyHere } from '../output/remedies.ts';
import { plainText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { assetNamed, readinessWords, type LookOptions } from './assets-look.ts';
import { withSendingEngine } from '../engine/engine-connector.ts';

export async function createGroup(
  session: Session,
  options: LookOptions & { readonly name: string; readonly description?: string },
): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets group create', async ({ api: { library } }) => {
    const { name, description } = options;
    const group = resultOf(await library.createGroup({ name, ...(description !== undefined && { description }) }));
    tell(
      session,
      options,
      { type: 'group', ...group },
      say('cli.groupMade', { id: group.id, name: plainText(group.name) }),
    );
    return exitStatus.saved;
  });
}

export async function renameGroup(
  session: Session,
  options: LookOptions & { readonly group: string; readonly name: string },
): Promise<ExitStatus> {
  const { group, name } = options;
  return withSendingEngine(session, 'dailies assets group rename', async ({ api: { library } }) => {
    const known = findGroup(await library.groups({}), group);
    if (!known) {
      throw new UsageError(say('cli.unknownGroup', { group: plainText(group) }), say('cli.unknownGroupRemedy'));
    }
    const renamed = resultOf(await library.renameGroup({ groupId: known.id, name }));
    tell(
      session,
      options,
      { type: 'group', ...renamed },
      say('cli.groupRenamed', { id: renamed.id, name: plainText(renamed.name) }),
    );
    return exitStatus.saved;
  });
}

/** The values of `--as`: a role of the reference, or a part of a digital human. */
const uploadWords = {
  reference_image: { role: 'reference_image' },
  first_frame: { role: 'first_frame' },
  last_frame: { role: 'last_frame' },
  reference_video: { role: 'reference_video' },
  video_reference: { role: 'reference_video', purpose: 'video_reference' },
  reference_audio: { role: 'reference_audio' },
  avatar: { purpose: 'digital_human_avatar' },
  voice: { purpose: 'digital_human_voice' },
  authorization: { purpose: 'digital_human_authorization' },
} as const satisfies Record<string, { role?: AssetRole; purpose?: string }>;

export interface UploadWords extends LookOptions {
  readonly group?: string;
  readonly as?: keyof typeof uploadWords;
  readonly model?: string;
  readonly mode?: UploadMode;
  /** False with `--no-wait`. */
  readonly wait?: boolean;
}

function targetOf({ group, as, model, mode }: UploadWords): UploadTarget {
  return { group, model, mode, ...(as && uploadWords[as]) };
}

/** Brings files into the library, each content once, and waits until they can be used. */
export function uploadFiles(
  session: Session,
  words: UploadWords & { readonly files: readonly string[] },
): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets upload', async ({ api: { library }, upload }) => {
    const paths = words.files.map((file) => resolve(session.shell.cwd, file));
    return settle(session, library, words, await upload(paths, targetOf(words), progressTo(session, words)));
  });
}

/** Lets the service fetch a public address into the library. */
export function addUrls(
  session: Session,
  words: UploadWords & { readonly urls: readonly string[] },
): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets add-url', async ({ api: { library } }) => {
    const reports = await Promise.all(words.urls.map((url) => library.addUrl({ url, target: targetOf(words) })));
    return settle(session, library, words, reports);
  });
}

/** Reports the result for each; waits until they are usable unless told not to. */
async function settle(
  session: Session,
  library: Api['library'],
  words: UploadWords,
  reports: readonly UploadReport[],
): Promise<ExitStatus> {
  const waiting = reports.flatMap((report) => (report.ok && report.readiness === 'waiting' ? [report.assetId] : []));
  if (waiting.length > 0 && words.wait !== false && !words.json) {
    printTo(session)(say('cli.waitingForAssets', { count: waiting.length }));
  }
  const found =
    words.wait === false
      ? new Map<string, Readiness>()
      : new Map(Object.entries(await library.untilReady({ assetIds: waiting })));
  let failed = 0;
  for (const report of reports) {
    const readiness: Readiness = report.ok ? (found.get(report.assetId) ?? report.readiness) : 'failed';
    if (!report.ok || readiness === 'failed' || readiness === 'disabled') failed += 1;
    const told = report.ok ? { ...report, readiness } : report;
    tell(session, words, { type: 'upload', ...told }, await uploadLine(library, told, readiness));
  }
  if (words.json) session.shell.stdout.write(jsonLine({ type: 'summary', count: reports.length, failed }));
  return failed > 0 ? exitStatus.failed : exitStatus.saved;
}

async function uploadLine(library: Api['library'], report: UploadReport, readiness: Readiness): Promise<string> {
  const source = plainText(report.source);
  if (!report.ok) {
    const remedy = remedyHere(report);
    return say('cli.uploadFailed', { source, problem: plainText(report.problem), remedy });
  }
  const line = say(report.sent ? 'cli.uploaded' : 'cli.uploadThere', { source, reference: report.reference });
  const why = (await assetNamed(library, report.assetId))?.syncError;
  const { group = '', wantedGroup: wanted } = report;
  return [
    line,
    ...(readiness === 'ready' ? [] : [`${say(readinessWords[readiness])}${why ? `: ${plainText(why)}` : ''}`]),
    ...(wanted === undefined ? [] : [say('cli.otherGroup', { group: plainText(group), wanted: plainText(wanted) })]),
  ].join('; ');
}

/** Escape sequence that returns to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001B[K';

/** Progress on one line that is overwritten, on a terminal only. */
function progressTo({ shell }: Session, words: UploadWords): (progress: UploadProgress) => void {
  if (words.json || !shell.stdout.isTTY) return () => undefined;
  return ({ source, stage, sentBytes, totalBytes }) => {
    const share = totalBytes === 0 ? 0 : sentBytes / totalBytes;
    const words = { stage, source: plainText(source).slice(-60) };
    shell.stdout.control?.(CLEAR_LINE);
    shell.stdout.write(
      totalBytes === 0
        ? say('cli.uploadStage', words)
        : say('cli.uploadShare', { ...words, percent: Math.floor(100 * share), size: bytesForPeople(totalBytes) }),
    );
    if (sentBytes === totalBytes && totalBytes > 0) shell.stdout.control?.(CLEAR_LINE);
  };
}

const WATCH_MS = 60_000;

/** Syncs the library with the service: once, or every minute until stopped. */
export function syncAssets(session: Session, options: LookOptions & { watch?: boolean }): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets sync', async ({ api: { library } }) => {
    for (;;) {
      const report = await library.sync({});
      const { groups, assets, added, changed, vanished, adopted, problems } = report;
      const line = say('cli.synced', { groups, assets, added, changed, vanished, adopted });
      tell(
        session,
        options,
        { type: 'sync', ...report },
        [line, ...problems.map((problem) => plainText(problem))].join('\n'),
      );
      if (!options.watch) return problems.length > 0 ? exitStatus.failed : exitStatus.saved;
      await session.shell.clock.sleep(WATCH_MS, { signal: session.interrupted });
    }
  });
}

function tell(session: Session, { json }: LookOptions, value: object, line: string): void {
  if (json) session.shell.stdout.write(jsonLine(value));
  else printTo(session)(line);
}

/** What a command answers that always changes something. */
function resultOf<Result>(done: { readonly result: Result } | null): Result {
  if (done) return done.result;
  throw new Error('nothing_changed');
}
