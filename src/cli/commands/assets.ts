import { AssetType, type AssetFilter, type LibraryAsset, type Readiness } from '../../contract/asset.ts';
import type { PlainKey } from '../../contract/commands/command.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import { withSendingEngine } from '../connect.ts';
import type { Api } from '../engine.ts';
import { UsageError, type ExitStatus } from '../exit.ts';
import { columnsOf, printList, printLine } from '../output/list.ts';
import { padded, plainText, shortText } from '../output/text.ts';
import { type Session } from '../session.ts';
import { JSON_LINES, verb, word, type Given } from '../verb.ts';

const ASSET = word('<ID>', 'cli.argAsset');
const LIST = [
  word('--group <group>', 'cli.optGroupOnly'),
  word('--type <type>', 'cli.optType', { choices: AssetType.options }),
  word('--not-ready', 'cli.optNotReady'),
  word('--hidden', 'cli.optHidden'),
  JSON_LINES,
] as const;
const ONE = [ASSET, JSON_LINES] as const;

export const verbs = [
  verb('assets groups', 'cli.helpAssetsGroups', [JSON_LINES], listGroups),
  verb('assets list', 'cli.helpAssetsList', LIST, listAssets),
  verb('assets show', 'cli.helpAssetsShow', ONE, showAsset),
  verb('assets where-used', 'cli.helpWhereUsed', ONE, whereUsed),
  verb('assets hide', 'cli.helpHide', [ASSET], (session, { id }) => hide(session, id, true)),
  verb('assets unhide', 'cli.helpUnhide', [ASSET], (session, { id }) => hide(session, id, false)),
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
