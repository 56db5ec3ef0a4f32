import { DailiesError } from '../../engine/base/errors.ts';
import type { Api } from '../engine/connection.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';
import type { AssetFilter, AssetType, AssetUse, LibraryAsset, LibraryGroup, Readiness } from '../../contract/asset.ts';
import { UsageError, exitStatus, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { padded, plainText, shortText, tableLines } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { withSendingEngine } from '../engine/engine-connector.ts';

/** Headings of tables and names of facts. */
type Title =
  | 'cli.asset'
  | 'cli.batch'
  | 'cli.duration'
  | 'cli.file'
  | 'cli.group'
  | 'cli.madeFor'
  | 'cli.name'
  | 'cli.problem'
  | 'cli.project'
  | 'cli.ready'
  | 'cli.reference'
  | 'cli.requestId'
  | 'cli.review'
  | 'cli.sentTo'
  | 'cli.sha256'
  | 'cli.shot'
  | 'cli.size'
  | 'cli.source'
  | 'cli.status'
  | 'cli.takesColumn'
  | 'cli.traceId'
  | 'cli.type'
  | 'cli.usedAs';

/** An asset by its id, or by the text of a cell. */
type OneAsset = LookOptions & { readonly id: string };

export interface LookOptions {
  readonly json?: boolean;
}

/** Lists the groups as last seen; sends no request. */
export function listGroups(session: Session, options: LookOptions): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets groups', async ({ api: { library } }) => {
    const groups = await library.groups({});
    if (options.json) return printJson(session, 'group', groups);
    const rows = groups.map((group) => [
      group.id,
      shortText(group.name, 40),
      groupWords(group),
      `${group.ready}/${group.assets}`,
    ]);
    return printTable(session, ['cli.group', 'cli.name', 'cli.status', 'cli.ready'], rows, [
      say('cli.groups', { count: groups.length }),
      neverSynced(groups),
    ]);
  });
}

export interface AssetsListOptions extends LookOptions {
  readonly group?: string;
  readonly type?: AssetType;
  readonly notReady?: boolean;
  readonly hidden?: boolean;
}

const NOT_READY: readonly Readiness[] = ['waiting', 'failed', 'disabled'];

/** Lists assets as last seen; sends no request. */
export function listAssets(session: Session, options: AssetsListOptions): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets list', async ({ api: { library } }) => {
    const assets = await allAssets(library, {
      group: options.group,
      type: options.type,
      readiness: options.notReady ? [...NOT_READY] : undefined,
      hidden: options.hidden,
    });
    if (options.json) return printJson(session, 'asset', assets);
    const rows = assets.map((asset) => [
      asset.id,
      shortText(asset.name, 32),
      asset.type,
      assetStatusWords(asset),
      shortText(asset.groupName ?? asset.groupId ?? '', 24),
      shortText(asset.local?.paths[0] ?? '', 48),
    ]);
    return printTable(session, ['cli.asset', 'cli.name', 'cli.type', 'cli.status', 'cli.group', 'cli.file'], rows, [
      say('cli.assets', { count: assets.length }),
      neverSynced(assets),
    ]);
  });
}

/** All facts about one asset. */
export function showAsset(session: Session, options: OneAsset): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets show', async ({ api: { library } }) => {
    const asset = await knownAsset(library, options.id);
    if (options.json) return printJson(session, 'asset', [asset]);
    const print = printTo(session);
    for (const [name, value] of factsOf(asset)) if (value !== '') print(`${padded(say(name), 12)} ${plainText(value)}`);
    return exitStatus.saved;
  });
}

/** The rows of shot lists that name an asset, and the takes made from them. */
export function whereUsed(session: Session, options: OneAsset): Promise<ExitStatus> {
  return withSendingEngine(session, 'dailies assets where-used', async ({ api: { library } }) => {
    const uses = await library.whereUsed({ assetId: assetIdOf(options.id) });
    if (options.json) return printJson(session, 'use', uses);
    const rows = uses.map((use) => [
      shortText(use.project, 24),
      shortText(use.batch, 24),
      shortText(use.shot, 24),
      use.parameter,
      takesOf(use),
      use.current ? '' : say('cli.earlierRow'),
    ]);
    return printTable(session, ['cli.project', 'cli.batch', 'cli.shot', 'cli.usedAs', 'cli.takesColumn', null], rows, [
      say('cli.usedIn', { count: uses.length }),
    ]);
  });
}

/** Hides an asset here, or shows it again. */
export const hideAsset =
  (action: 'hide' | 'unhide') =>
  (session: Session, { id }: OneAsset): Promise<ExitStatus> =>
    withSendingEngine(session, 'dailies assets hide', async ({ api: { library } }) => {
      const asset = await knownAsset(library, id);
      await library.hide({ assetId: asset.id, hidden: action === 'hide' });
      printTo(session)(say(action === 'hide' ? 'cli.assetHidden' : 'cli.assetShown', { id: asset.id }));
      return exitStatus.saved;
    });

/** `Asset://id` and `id` name the same asset. */
const assetIdOf = (text: string): string => text.replace(/^asset:\/\//i, '');

/** Assets read in one call. */
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

function factsOf(asset: LibraryAsset): [Title, string][] {
  return [
    ['cli.reference', asset.reference],
    ['cli.name', asset.name],
    ['cli.type', asset.type],
    ['cli.status', assetStatusWords(asset)],
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

export function assetStatusWords(asset: LibraryAsset): string {
  if (asset.missingSince !== null) return say('cli.goneAtService');
  const words = say(readinessWords[asset.readiness]);
  return asset.hidden ? say('cli.statusHidden', { status: words }) : words;
}

const groupWords = ({ status, missingSince }: LibraryGroup): string =>
  missingSince === null ? status : say('cli.goneAtService');

const takesOf = ({ takes }: AssetUse): string =>
  takes.map(({ take, state }) => `${take} ${state.replaceAll('_', ' ')}`).join(', ');

const neverSynced = (rows: readonly unknown[]): string => (rows.length === 0 ? say('cli.neverSynced') : '');

function printJson(session: Session, type: string, values: readonly object[]): ExitStatus {
  for (const value of values)
    session.shell.stdout.write(jsonLine({ ...value, type, ...('type' in value && { mediaType: value.type }) }));
  session.shell.stdout.write(jsonLine({ type: 'summary', count: values.length }));
  return exitStatus.saved;
}

function printTable(
  session: Session,
  titles: readonly (Title | null)[],
  rows: string[][],
  last: readonly string[],
): ExitStatus {
  const print = printTo(session);
  const columns = titles.map((title) => ({ title: title === null ? '' : say(title) }));
  if (rows.length > 0)
    for (const line of tableLines(
      columns,
      rows.map((row) => row.map(plainText)),
    ))
      print(line);
  for (const line of last.filter(Boolean)) print(line);
  return exitStatus.saved;
}
