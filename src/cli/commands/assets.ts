import {
  type AssetFilter,
  type AssetRole,
  AssetType,
  type LibraryAsset,
  type Readiness,
  UploadMode,
  type UploadReport,
  type UploadTarget,
} from '../../contract/asset.ts';
import type { PlainKey } from '../../contract/messages/message-for.ts';
import { t } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import { withSendingEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { exitStatus, type ExitStatus, refused } from '../exit.ts';
import { toColumns, printList, printOne, progressLine } from '../output/list.ts';
import { padded, plainText, shortText, withSmallLetter } from '../output/text.ts';
import type { Session } from '../session.ts';
import { type Given, JSON_LINES, verb, word, type Word } from '../verb.ts';
import { resolve } from 'node:path';
import { findGroup } from '../../engine/library/sync.ts';
import { remedyHere } from '../output/words.ts';

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

const ASSET = word('<ID>', 'cli.argAsset');
const LIST = [
  word('--group <group>', 'cli.optGroupOnly'),
  word('--type <type>', 'cli.optType', { choices: AssetType.options }),
  word('--not-ready', 'cli.optNotReady'),
  word('--hidden', 'cli.optHidden'),
  JSON_LINES,
] as const;
const CREATE = [word('<NAME>', 'common.name'), word('--description <text>', 'cli.optDescription'), JSON_LINES] as const;
const RENAME = [word('<GROUP>', 'cli.argGroup'), word('<NAME>', 'cli.argNewName'), JSON_LINES] as const;
const AIMED = [
  word('--group <group>', 'cli.optGroupInto'),
  word('--as <use>', 'cli.optAs', { choices: Object.keys(uploadWords) as (keyof typeof uploadWords)[] }),
  word('--model <model>', 'cli.optForModel'),
  word('--mode <mode>', 'cli.optMode', { choices: UploadMode.options }),
  word('--no-wait', 'cli.optNoWait'),
  JSON_LINES,
] as const;
type UploadWords = Given<typeof AIMED>;

type Library = Api['library'];
const NOT_READY: readonly Readiness[] = ['waiting', 'failed', 'disabled'];

export const verbs = [
  libraryVerb('assets groups', 'cli.helpAssetsGroups', [JSON_LINES], async (session, _given, { library }) => {
    const rows = await library.groups({});
    printCounted(session, rows, {
      type: 'group',
      columns: toColumns('library.group', 'common.name', 'library.status', 'library.ready'),
      cells: ({ id, name, status, missingSince, ready, assets }) => [
        ...[plainText(id), shortText(name, 40)],
        ...[plainText(missingSince === null ? status : t('cli.goneAtService')), `${ready}/${assets}`],
      ],
      below: [neverSynced(rows)],
    });
  }),
  libraryVerb('assets list', 'cli.helpAssetsList', LIST, async (session, options, { library }) => {
    const { group, type, notReady, hidden } = options;
    const rows = await allAssets(library, { group, type, hidden, readiness: notReady ? [...NOT_READY] : undefined });
    printCounted(session, rows, {
      type: 'asset',
      columns: toColumns(
        'common.asset',
        'common.name',
        'library.type',
        'library.status',
        'library.group',
        'common.file',
      ),
      cells: (asset) => [
        ...[plainText(asset.id), shortText(asset.name, 32), asset.type, plainText(statusWords(asset))],
        ...[shortText(asset.groupName ?? asset.groupId ?? '', 24), shortText(asset.local?.paths[0] ?? '', 48)],
      ],
      below: [t('library.assetCount', { count: rows.length }), neverSynced(rows)],
    });
  }),
  libraryVerb('assets show', 'cli.helpAssetsShow', [ASSET, JSON_LINES], async (session, { id }, { library }) => {
    printCounted(session, [await knownAsset(library, id)], {
      type: 'asset',
      cells: (asset) =>
        toFacts(asset).flatMap(([name, value]) =>
          value === '' ? [] : [`${padded(withSmallLetter(t(name)), 12)} ${plainText(value)}`],
        ),
    });
  }),
  libraryVerb('assets where-used', 'cli.helpWhereUsed', [ASSET, JSON_LINES], async (session, { id }, { library }) => {
    const rows = await library.whereUsed({ assetId: assetIdFor(id) });
    const columns = toColumns('common.project', 'common.batch', 'common.shot', 'cli.usedAs', 'group.takes');
    printCounted(session, rows, {
      type: 'use',
      columns: [...columns, { title: '' }],
      cells: ({ project, batch, shot, parameter, takes, current }) => [
        ...[shortText(project, 24), shortText(batch, 24), shortText(shot, 24), plainText(parameter)],
        takes.map(({ take, state }) => `${take} ${state.replaceAll('_', ' ')}`).join(', '),
        current ? '' : t('cli.earlierRow'),
      ],
      below: [t('library.placeCount', { count: rows.length })],
    });
  }),
  libraryVerb('assets hide', 'library.hide', [ASSET], (session, { id }, { library }) =>
    hide(session, library, id, true),
  ),
  libraryVerb('assets unhide', 'library.showAgain', [ASSET], (session, { id }, { library }) =>
    hide(session, library, id, false),
  ),
  libraryVerb('assets group create', 'library.createGroup', CREATE, async (session, given, { library }) => {
    const { name, description } = given;
    const group = toResult(await library.createGroup({ name, ...(description !== undefined && { description }) }));
    const line = t('cli.groupMade', { id: group.id, name: plainText(group.name) });
    printOne(session, { type: 'group', ...group }, line);
  }),
  libraryVerb('assets group rename', 'library.renameGroup', RENAME, async (session, { group, name }, { library }) => {
    const known = findGroup(await library.groups({}), group);
    if (!known) throw refused('cli.unknownAsset', { what: 'group', name: group });
    const renamed = toResult(await library.renameGroup({ groupId: known.id, name }));
    const line = t('history.groupRenamed', { before: plainText(known.name), name: plainText(renamed.name) });
    printOne(session, { type: 'group', ...renamed }, line);
  }),
  libraryVerb(
    'assets upload',
    'cli.helpUpload',
    [word('<FILES...>', 'common.files'), ...AIMED],
    async (session, words, { library }) => {
      const target = toTarget(words);
      const line = progressLine(session.shell);
      let done = 0;
      const uploads = words.files.map(async (file) => {
        const reports = await library.uploadFiles({ paths: [resolve(session.shell.cwd, file)], target });
        done += 1;
        line.show(() => t('window.progressWords', { done, total: words.files.length, words: plainText(file) }));
        return reports;
      });
      const reports = (await Promise.all(uploads).finally(() => line.clear())).flat();
      return settle(session, library, words, reports);
    },
  ),
  libraryVerb(
    'assets add-url',
    'library.addFromWeb',
    [word('<URLS...>', 'library.address'), ...AIMED],
    async (session, words, { library }) => {
      const reports = await Promise.all(words.urls.map((url) => library.addUrl({ url, target: toTarget(words) })));
      return settle(session, library, words, reports);
    },
  ),
  libraryVerb('assets sync', 'library.syncWithService', [JSON_LINES], async (session, _given, { library }) => {
    const report = await library.sync({});
    const { groups, assets, added, changed, vanished, adopted, problems } = report;
    const line = t('cli.synced', { groups, assets, added, changed, vanished, adopted });
    printOne(session, { type: 'sync', ...report }, [line, ...problems.map(plainText)].join('\n'));
    return problems.length > 0 ? exitStatus.failed : exitStatus.saved;
  }),
];

function libraryVerb<const Words extends readonly Word[]>(
  name: string,
  help: PlainKey,
  words: Words,
  work: (session: Session, given: Given<Words>, api: { readonly library: Library }) => Promise<ExitStatus | undefined>,
) {
  return verb(name, help, words, (session, given) =>
    withSendingEngine(session, ({ api }) => work(session, given, api)),
  );
}

/** Prints rows as they are; a `type` of their own is that of their medium. The last line of JSON is their number. */
function printCounted<Row extends object>(
  session: Session,
  rows: readonly Row[],
  list: Omit<Parameters<typeof printList<Row>>[1], 'rows' | 'object' | 'last'>,
): void {
  const object = (row: Row): object => ({ ...row, ...('type' in row && { mediaType: row.type }) });
  printList(session, { ...list, rows, object, last: { type: 'summary', count: rows.length } });
}

async function hide({ print }: Session, library: Library, id: string, hidden: boolean): Promise<undefined> {
  const asset = await knownAsset(library, id);
  await library.hide({ assetId: asset.id, hidden });
  print(t('cli.assetVisibility', { id: asset.id, change: hidden ? 'hidden' : 'shown' }));
}

/** `Asset://id` and `id` name the same asset. */
const assetIdFor = (text: string): string => text.replace(/^asset:\/\//i, '');

const ASSETS_AT_ONCE = 2000;

async function allAssets(library: Library, filter: AssetFilter): Promise<LibraryAsset[]> {
  const all: LibraryAsset[] = [];
  for (;;) {
    const { total, assets } = await library.assets({ ...filter, start: all.length, count: ASSETS_AT_ONCE });
    all.push(...assets);
    if (assets.length === 0 || all.length >= total) return all;
  }
}

/** Null for an unknown one. */
async function assetNamed(library: Library, assetId: string): Promise<LibraryAsset | null> {
  try {
    return await library.asset({ assetId });
  } catch (error) {
    if (error instanceof DailiesError && error.code === 'not_found') return null;
    throw error;
  }
}

async function knownAsset(library: Library, text: string): Promise<LibraryAsset> {
  const asset = await assetNamed(library, assetIdFor(text));
  if (asset) return asset;
  throw refused('cli.unknownAsset', { what: 'asset', name: text });
}

function toFacts(asset: LibraryAsset): [PlainKey, string][] {
  return [
    ['cli.reference', asset.reference],
    ['common.name', asset.name],
    ['library.type', asset.type],
    ['library.status', statusWords(asset)],
    ['batch.problem', asset.syncError ?? ''],
    ['library.group', [asset.groupName ?? '', asset.groupId ?? ''].filter(Boolean).join(' ')],
    ['library.sentTo', asset.wantedGroup === undefined ? '' : t('library.otherGroup', { group: asset.wantedGroup })],
    ['common.size', asset.size === undefined ? '' : bytesForPeople(asset.size)],
    ['column.duration', asset.duration === undefined ? '' : t('time.seconds', { seconds: asset.duration })],
    ['common.file', asset.local?.paths.join(', ') ?? ''],
    ['media.source', asset.sourceUrl ?? ''],
  ];
}

function statusWords(asset: LibraryAsset): string {
  if (asset.missingSince !== null) return t('cli.goneAtService');
  const words = t('cli.readiness', { readiness: asset.readiness });
  return asset.hidden ? t('cli.statusHidden', { status: words }) : words;
}

const neverSynced = (rows: readonly unknown[]): string => (rows.length === 0 ? t('cli.neverSynced') : '');

function toTarget({ group, as, model, mode }: UploadWords): UploadTarget {
  return { group, model, mode, ...(as && uploadWords[as]) };
}

/** Reports the result for each; waits until they are usable unless told not to. */
async function settle(
  session: Session,
  library: Library,
  { wait }: UploadWords,
  reports: readonly UploadReport[],
): Promise<ExitStatus> {
  const waiting = reports.flatMap((report) => (report.ok && report.readiness === 'waiting' ? [report.assetId] : []));
  if (waiting.length > 0 && wait && !session.json) {
    session.print(t('cli.waitingForAssets', { count: waiting.length }));
  }
  const found = wait ? await library.untilReady({ assetIds: waiting }) : {};
  let failed = 0;
  for (const report of reports) {
    const readiness: Readiness = report.ok ? (found[report.assetId] ?? report.readiness) : 'failed';
    if (!report.ok || readiness === 'failed' || readiness === 'disabled') failed += 1;
    const told = report.ok ? { ...report, readiness } : report;
    printOne(session, { type: 'upload', ...told }, await uploadLine(library, told, readiness));
  }
  if (session.json) session.printJson({ type: 'summary', count: reports.length, failed });
  return failed > 0 ? exitStatus.failed : exitStatus.saved;
}

async function uploadLine(library: Library, report: UploadReport, readiness: Readiness): Promise<string> {
  const source = plainText(report.source);
  if (!report.ok) {
    const remedy = remedyHere(report);
    return t('cli.uploadFailed', { source, problem: plainText(report.problem), remedy }).trimEnd();
  }
  const line = t('cli.uploaded', { is: report.sent ? 'sent' : 'there', source, reference: report.reference });
  const why = (await assetNamed(library, report.assetId))?.syncError;
  const { group = '', wantedGroup: wanted } = report;
  return [
    line,
    ...(readiness === 'ready' ? [] : [`${t('cli.readiness', { readiness })}${why ? `: ${plainText(why)}` : ''}`]),
    ...(wanted === undefined
      ? []
      : [withSmallLetter(t('library.uploadOtherGroup', { group: plainText(group), wanted: plainText(wanted) }))]),
  ].join('; ');
}

function toResult<Result>(done: { readonly result: Result } | null): Result {
  if (done) return done.result;
  throw new Error('nothing_changed');
}
