import type { AssetType, AssetUse, LibraryAsset, LibraryGroup, Readiness } from '../../contract/asset.ts';
import type { LibraryAtWork } from '../engine/engine-at-work.ts';
import { UsageError, exitStatus, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { bytesForPeople } from '../../contract/units.ts';
import { counted, plainText, shortText, tableLines } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { inLibrary } from '../engine/engine-connector.ts';

export interface LookOptions {
  readonly json?: boolean;
}

/** Lists the groups as last seen; asks nobody. */
export function listGroups(session: Session, options: LookOptions): Promise<ExitStatus> {
  return inLibrary(session, 'dailies assets groups', async (library) => {
    const groups = await library.groups();
    if (options.json) return printJson(session, 'group', groups);
    const rows = groups.map((group) => [
      group.id,
      shortText(group.name, 40),
      groupWords(group),
      `${group.ready}/${group.assets}`,
    ]);
    return printTable(session, ['group', 'name', 'status', 'ready'], rows, [
      counted(groups.length, 'group'),
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

/** Lists assets as last seen; asks nobody. */
export function listAssets(session: Session, options: AssetsListOptions): Promise<ExitStatus> {
  return inLibrary(session, 'dailies assets list', async (library) => {
    const assets = await library.assets({
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
    return printTable(session, ['asset', 'name', 'type', 'stands', 'group', 'file'], rows, [
      counted(assets.length, 'asset'),
      neverSynced(assets),
    ]);
  });
}

/** Everything that is known of one asset. */
export function showAsset(session: Session, id: string, options: LookOptions): Promise<ExitStatus> {
  return inLibrary(session, 'dailies assets show', async (library) => {
    const asset = await knownAsset(library, id);
    if (options.json) return printJson(session, 'asset', [asset]);
    const print = printTo(session);
    for (const [name, value] of factsOf(asset)) if (value !== '') print(`${name.padEnd(12)} ${plainText(value)}`);
    return exitStatus.saved;
  });
}

/** The rows of shot lists that name an asset, and the takes made from them. */
export function whereUsed(session: Session, id: string, options: LookOptions): Promise<ExitStatus> {
  return inLibrary(session, 'dailies assets where-used', async (library) => {
    const uses = await library.whereUsed(assetIdOf(id));
    if (options.json) return printJson(session, 'use', uses);
    const rows = uses.map((use) => [
      shortText(use.project, 24),
      shortText(use.batch, 24),
      shortText(use.shot, 24),
      use.parameter,
      takesOf(use),
      use.current ? '' : 'an earlier version of the row',
    ]);
    return printTable(session, ['project', 'batch', 'shot', 'as', 'takes', ''], rows, [
      `Used in ${counted(uses.length, 'place')}`,
    ]);
  });
}

/** Takes an asset out of sight here, or back into it. */
export function hideAsset(session: Session, id: string, hidden: boolean): Promise<ExitStatus> {
  return inLibrary(session, 'dailies assets hide', async (library) => {
    const asset = await knownAsset(library, id);
    await library.hide(asset.id, hidden);
    printTo(session)(
      hidden
        ? `${asset.id} is hidden here. It stays at the service, which has no way to delete one.`
        : `${asset.id} is shown again.`,
    );
    return exitStatus.saved;
  });
}

/** `Asset://id` and `id` name the same asset. */
export const assetIdOf = (text: string): string => text.replace(/^asset:\/\//i, '');

async function knownAsset(library: LibraryAtWork, text: string): Promise<LibraryAsset> {
  const asset = await library.asset(assetIdOf(text));
  if (asset) return asset;
  throw new UsageError(
    `The library knows no asset ${text}.`,
    '`dailies assets sync` brings it in step with the service.',
  );
}

function factsOf(asset: LibraryAsset): [string, string][] {
  return [
    ['reference', asset.reference],
    ['name', asset.name],
    ['type', asset.type],
    ['stands', assetStatusWords(asset)],
    ['problem', asset.syncError ?? ''],
    ['review', reviewWords(asset)],
    ['group', [asset.groupName ?? '', asset.groupId ?? ''].filter(Boolean).join(' ')],
    ['sent to', asset.wantedGroup === undefined ? '' : `${asset.wantedGroup}; the service put it into another group`],
    [
      'made for',
      asset.uploadedFor ? [asset.uploadedFor.model, asset.uploadedFor.role].filter(Boolean).join(', as ') : '',
    ],
    ['size', asset.size === undefined ? '' : bytesForPeople(asset.size)],
    ['duration', asset.duration === undefined ? '' : `${asset.duration} s`],
    ['file', asset.local?.paths.join(', ') ?? ''],
    ['sha256', asset.local?.sha256 ?? ''],
    ['source', asset.sourceUrl ?? ''],
    ['request id', asset.requestId ?? ''],
    ['trace id', asset.traceId ?? ''],
  ];
}

/** The reference's caution goes with every mention of a review. */
function reviewWords({ reviewStatus, readiness }: LibraryAsset): string {
  if (reviewStatus === undefined) return '';
  return readiness === 'ready' ? reviewStatus : `${reviewStatus} (a passed review does not make it ready)`;
}

export function assetStatusWords(asset: LibraryAsset): string {
  if (asset.missingSince !== null) return 'gone at the service';
  const words = { ready: 'ready', waiting: 'not ready yet', failed: 'failed', disabled: 'disabled' }[asset.readiness];
  return asset.hidden ? `${words}, hidden` : words;
}

const groupWords = ({ status, missingSince }: LibraryGroup): string =>
  missingSince === null ? status : 'gone at the service';

const takesOf = ({ takes }: AssetUse): string =>
  takes.map(({ take, state }) => `${take} ${state.replaceAll('_', ' ')}`).join(', ');

const neverSynced = (rows: readonly unknown[]): string =>
  rows.length === 0 ? '`dailies assets sync` asks the service what there is' : '';

function printJson(session: Session, type: string, values: readonly object[]): ExitStatus {
  for (const value of values)
    session.shell.stdout.write(jsonLine({ ...value, type, ...('type' in value && { mediaType: value.type }) }));
  session.shell.stdout.write(jsonLine({ type: 'summary', count: values.length }));
  return exitStatus.saved;
}

function printTable(
  session: Session,
  titles: readonly string[],
  rows: string[][],
  last: readonly string[],
): ExitStatus {
  const print = printTo(session);
  const columns = titles.map((title) => ({ title }));
  if (rows.length > 0)
    for (const line of tableLines(
      columns,
      rows.map((row) => row.map(plainText)),
    ))
      print(line);
  print(`${last.filter(Boolean).join('. ')}.`);
  return exitStatus.saved;
}
