import {
  type AssetFilter,
  type AssetRole,
  AssetType,
  type LibraryAsset,
  type Readiness,
  UploadMode,
  type UploadProgress,
  type UploadReport,
  type UploadTarget,
} from '../../contract/asset.ts';
import type { PlainKey } from '../../contract/commands/command.ts';
import { type MessageKey, say } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import { withSendingEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, type ExitStatus, UsageError } from '../exit.ts';
import { columnsOf, printLine, printList, printOne } from '../output/list.ts';
import { padded, plainText, shortText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { type Given, JSON_LINES, verb, word } from '../verb.ts';
import { resolve } from 'node:path';
import { findGroup } from '../../engine/library/groups.ts';
import { jsonLine } from '../output/ndjson.ts';
import { remedyHere } from '../output/remedies.ts';

const ASSET = word('<ID>', 'cli.argAsset');
const LIST = [
  word('--group <group>', 'cli.optGroupOnly'),
  word('--type <type>', 'cli.optType', { choices: AssetType.options }),
  word('--not-ready', 'cli.optNotReady'),
  word('--hidden', 'cli.optHidden'),
  JSON_LINES,
] as const;
const ONE = [ASSET, JSON_LINES] as const;

const CREATE = [
  word('<NAME>', 'cli.argGroupName'),
  word('--description <text>', 'cli.optDescription'),
  JSON_LINES,
] as const;
const RENAME = [word('<GROUP>', 'cli.argGroup'), word('<NAME>', 'cli.argNewName'), JSON_LINES] as const;
const SYNC = [word('--watch', 'cli.optSyncWatch'), JSON_LINES] as const;

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
  verb('assets groups', 'cli.helpAssetsGroups', [JSON_LINES], listGroups),
  verb('assets list', 'cli.helpAssetsList', LIST, listAssets),
  verb('assets show', 'cli.helpAssetsShow', ONE, showAsset),
  verb('assets where-used', 'cli.helpWhereUsed', ONE, whereUsed),
  verb('assets hide', 'cli.helpHide', [ASSET], (session, { id }) => hide(session, id, true)),
  verb('assets unhide', 'cli.helpUnhide', [ASSET], (session, { id }) => hide(session, id, false)),
  verb('assets group create', 'cli.helpGroupCreate', CREATE, createGroup),
  verb('assets group rename', 'cli.helpGroupRename', RENAME, renameGroup),
  verb('assets upload', 'cli.helpUpload', FILES, uploadFiles),
  verb('assets add-url', 'cli.helpAddUrl', URLS, addUrls),
  verb('assets sync', 'cli.helpAssetsSync', SYNC, syncAssets),
];

function listGroups(session: Session, { json }: { readonly json?: boolean }): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets groups', async ({ api: { library } }) => {
    const rows = await library.groups({});
    return printList(session, json, {
      ...{ type: 'group', rows, object: asObject },
      columns: columnsOf('cli.group', 'cli.name', 'cli.status', 'cli.ready'),
      cells: ({ id, name, status, missingSince, ready, assets }) => [
        ...[plainText(id), shortText(name, 40)],
        ...[plainText(missingSince === null ? status : say('cli.goneAtService')), `${ready}/${assets}`],
      ],
      below: [say('cli.groups', { count: rows.length }), neverSynced(rows)],
      last: { type: 'summary', count: rows.length },
    });
  });
}

const NOT_READY: readonly Readiness[] = ['waiting', 'failed', 'disabled'];

function listAssets(
  session: Session,
  { group, type, notReady, hidden, json }: Given<typeof LIST>,
): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets list', async ({ api: { library } }) => {
    const readiness = notReady ? [...NOT_READY] : undefined;
    const rows = await allAssets(library, { group, type, readiness, hidden });
    return printList(session, json, {
      ...{ type: 'asset', rows, object: asObject },
      columns: columnsOf('cli.asset', 'cli.name', 'cli.type', 'cli.status', 'cli.group', 'cli.file'),
      cells: (asset) => [
        ...[plainText(asset.id), shortText(asset.name, 32), asset.type, plainText(statusWords(asset))],
        ...[shortText(asset.groupName ?? asset.groupId ?? '', 24), shortText(asset.local?.paths[0] ?? '', 48)],
      ],
      below: [say('cli.assets', { count: rows.length }), neverSynced(rows)],
      last: { type: 'summary', count: rows.length },
    });
  });
}

function showAsset(session: Session, { id, json }: Given<typeof ONE>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets show', async ({ api: { library } }) =>
    printList(session, json, {
      ...{ type: 'asset', rows: [await knownAsset(library, id)], object: asObject },
      cells: (asset) =>
        factsOf(asset).flatMap(([name, value]) =>
          value === '' ? [] : [`${padded(say(name), 12)} ${plainText(value)}`],
        ),
      last: { type: 'summary', count: 1 },
    }),
  );
}

function whereUsed(session: Session, { id, json }: Given<typeof ONE>): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets where-used', async ({ api: { library } }) => {
    const rows = await library.whereUsed({ assetId: assetIdOf(id) });
    const columns = columnsOf('cli.project', 'cli.batch', 'cli.shot', 'cli.usedAs', 'cli.takesColumn');
    return printList(session, json, {
      ...{ type: 'use', rows, object: asObject },
      columns: [...columns, { title: '' }],
      cells: ({ project, batch, shot, parameter, takes, current }) => [
        ...[shortText(project, 24), shortText(batch, 24), shortText(shot, 24), plainText(parameter)],
        takes.map(({ take, state }) => `${take} ${state.replaceAll('_', ' ')}`).join(', '),
        current ? '' : say('cli.earlierRow'),
      ],
      below: [say('cli.usedIn', { count: rows.length })],
      last: { type: 'summary', count: rows.length },
    });
  });
}

/** Hides an asset here, or shows it again. */
const hide = (session: Session, id: string, hidden: boolean): Promise<ExitStatus> =>
  withSendingEngine(session, 'dailies assets hide', async ({ api: { library } }) => {
    const asset = await knownAsset(library, id);
    await library.hide({ assetId: asset.id, hidden });
    return printLine(session, say(hidden ? 'cli.assetHidden' : 'cli.assetShown', { id: asset.id }));
  });

/** `Asset://id` and `id` name the same asset. */
const assetIdOf = (text: string): string => text.replace(/^asset:\/\//i, '');

const ASSETS_AT_ONCE = 2000;

async function allAssets(library: Api['library'], filter: AssetFilter): Promise<LibraryAsset[]> {
  const all: LibraryAsset[] = [];
  for (;;) {
    const { total, assets } = await library.assets({ ...filter, start: all.length, count: ASSETS_AT_ONCE });
    all.push(...assets);
    if (assets.length === 0 || all.length >= total) return all;
  }
}

/** Null for an unknown one. */
export async function assetNamed(library: Api['library'], assetId: string): Promise<LibraryAsset | null> {
  try {
    return await library.asset({ assetId });
  } catch (error) {
    if (error instanceof DailiesError && error.code === 'not_found') return null;
    throw error;
  }
}

async function knownAsset(library: Api['library'], text: string): Promise<LibraryAsset> {
  const asset = await assetNamed(library, assetIdOf(text));
  if (asset) return asset;
  throw new UsageError(say('cli.unknownAsset', { asset: text }), say('cli.unknownAssetRemedy'));
}

function factsOf(asset: LibraryAsset): [PlainKey, string][] {
  return [
    ['cli.reference', asset.reference],
    ['cli.name', asset.name],
    ['cli.type', asset.type],
    ['cli.status', statusWords(asset)],
    ['cli.problem', asset.syncError ?? ''],
    ['cli.review', reviewWords(asset)],
    ['cli.group', [asset.groupName ?? '', asset.groupId ?? ''].filter(Boolean).join(' ')],
    ['cli.sentTo', asset.wantedGroup === undefined ? '' : say('cli.sentToOther', { group: asset.wantedGroup })],
    [
      'cli.madeFor',
      asset.uploadedFor ? [asset.uploadedFor.model, asset.uploadedFor.role].filter(Boolean).join(' / ') : '',
    ],
    ['cli.size', asset.size === undefined ? '' : bytesForPeople(asset.size)],
    ['cli.duration', asset.duration === undefined ? '' : say('time.seconds', { seconds: asset.duration })],
    ['cli.file', asset.local?.paths.join(', ') ?? ''],
    ['cli.sha256', asset.local?.sha256 ?? ''],
    ['cli.source', asset.sourceUrl ?? ''],
    ['cli.requestId', asset.requestId ?? ''],
    ['cli.traceId', asset.traceId ?? ''],
  ];
}

/** The reference's caution goes with every mention of a review. */
function reviewWords({ reviewStatus, readiness }: LibraryAsset): string {
  if (reviewStatus === undefined) return '';
  return readiness === 'ready' ? reviewStatus : say('cli.reviewNotReady', { review: reviewStatus });
}

export const readinessWords = {
  ready: 'cli.readinessReady',
  waiting: 'cli.readinessWaiting',
  failed: 'cli.readinessFailed',
  disabled: 'cli.readinessDisabled',
} as const satisfies Record<Readiness, MessageKey>;

function statusWords(asset: LibraryAsset): string {
  if (asset.missingSince !== null) return say('cli.goneAtService');
  const words = say(readinessWords[asset.readiness]);
  return asset.hidden ? say('cli.statusHidden', { status: words }) : words;
}

const neverSynced = (rows: readonly unknown[]): string => (rows.length === 0 ? say('cli.neverSynced') : '');

/** Its own `type`, where it has one, is that of its medium. */
const asObject = (value: object): object => ({ ...value, ...('type' in value && { mediaType: value.type }) });

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
