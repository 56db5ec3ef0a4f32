import { resolve } from 'node:path';
import {
  UploadMode,
  type AssetRole,
  type Readiness,
  type UploadProgress,
  type UploadReport,
  type UploadTarget,
} from '../../contract/asset.ts';
import { say } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { findGroup } from '../../engine/library/groups.ts';
import { withSendingEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { printOne } from '../output/list.ts';
import { jsonLine } from '../output/ndjson.ts';
import { remedyHere } from '../output/remedies.ts';
import { plainText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';
import { assetNamed, readinessWords } from './assets.ts';

const CREATE = [
  word('<NAME>', 'cli.argGroupName'),
  word('--description <text>', 'cli.optDescription'),
  JSON_LINES,
] as const;
const RENAME = [word('<GROUP>', 'cli.argGroup'), word('<NAME>', 'cli.argNewName'), JSON_LINES] as const;
const SYNC = [word('--watch', 'cli.optSyncWatch'), JSON_LINES] as const;

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

const AIMED = [
  word('--group <group>', 'cli.optGroupInto'),
  word('--as <use>', 'cli.optAs', { choices: Object.keys(uploadWords) as (keyof typeof uploadWords)[] }),
  word('--model <model>', 'cli.optForModel'),
  word('--mode <mode>', 'cli.optMode', { choices: UploadMode.options }),
  word('--no-wait', 'cli.optNoWait'),
  JSON_LINES,
] as const;
type UploadWords = Given<typeof AIMED>;
const FILES = [word('<FILES...>', 'cli.argFiles'), ...AIMED] as const;
const URLS = [word('<URLS...>', 'cli.argUrls'), ...AIMED] as const;

export const verbs = [
  verb('assets group create', 'cli.helpGroupCreate', CREATE, createGroup),
  verb('assets group rename', 'cli.helpGroupRename', RENAME, renameGroup),
  verb('assets upload', 'cli.helpUpload', FILES, uploadFiles),
  verb('assets add-url', 'cli.helpAddUrl', URLS, addUrls),
  verb('assets sync', 'cli.helpAssetsSync', SYNC, syncAssets),
];

function createGroup(session: Session, { name, description, json }: Given<typeof CREATE>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets group create', async ({ api: { library } }) => {
    const group = resultOf(await library.createGroup({ name, ...(description !== undefined && { description }) }));
    const line = say('cli.groupMade', { id: group.id, name: plainText(group.name) });
    return printOne(session, json, { type: 'group', ...group }, line);
  });
}

function renameGroup(session: Session, { group, name, json }: Given<typeof RENAME>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets group rename', async ({ api: { library } }) => {
    const known = findGroup(await library.groups({}), group);
    if (!known) {
      throw new UsageError(say('cli.unknownGroup', { group: plainText(group) }), say('cli.unknownGroupRemedy'));
    }
    const renamed = resultOf(await library.renameGroup({ groupId: known.id, name }));
    const line = say('cli.groupRenamed', { id: renamed.id, name: plainText(renamed.name) });
    return printOne(session, json, { type: 'group', ...renamed }, line);
  });
}

function targetOf({ group, as, model, mode }: UploadWords): UploadTarget {
  return { group, model, mode, ...(as && uploadWords[as]) };
}

function uploadFiles(session: Session, words: Given<typeof FILES>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets upload', async ({ api: { library }, upload }) => {
    const paths = words.files.map((file) => resolve(session.shell.cwd, file));
    return settle(session, library, words, await upload(paths, targetOf(words), progressTo(session, words)));
  });
}

function addUrls(session: Session, words: Given<typeof URLS>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets add-url', async ({ api: { library } }) => {
    const reports = await Promise.all(words.urls.map((url) => library.addUrl({ url, target: targetOf(words) })));
    return settle(session, library, words, reports);
  });
}

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
    printOne(session, words.json, { type: 'upload', ...told }, await uploadLine(library, told, readiness));
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

function syncAssets(session: Session, { watch, json }: Given<typeof SYNC>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets sync', async ({ api: { library } }) => {
    for (;;) {
      const report = await library.sync({});
      const { groups, assets, added, changed, vanished, adopted, problems } = report;
      const line = say('cli.synced', { groups, assets, added, changed, vanished, adopted });
      printOne(session, json, { type: 'sync', ...report }, [line, ...problems.map(plainText)].join('\n'));
      if (!watch) return problems.length > 0 ? exitStatus.failed : exitStatus.saved;
      await session.shell.clock.sleep(WATCH_MS, { signal: session.interrupted });
    }
  });
}

function resultOf<Result>(done: { readonly result: Result } | null): Result {
  if (done) return done.result;
  throw new Error('nothing_changed');
}
