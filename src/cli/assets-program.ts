import type { Perform } from './session.ts';
import { Option, type Command } from 'commander';
import type { AssetType, UploadMode } from '../contract/asset.ts';

// The words of the contract, repeated for the same reason as in `program.ts`.
const types: readonly AssetType[] = ['image', 'audio', 'video', 'file'];
const modes: readonly UploadMode[] = ['asset', 'oss', 'both'];
const uses = [
  'reference_image',
  'first_frame',
  'last_frame',
  'reference_video',
  'reference_audio',
  'avatar',
  'voice',
  'authorization',
] as const;

const jsonOption = () => new Option('--json', 'print one JSON object a line');
const look = () => import('./commands/assets-look.ts');
const change = () => import('./commands/assets-change.ts');

/** `dailies assets …`: the library of reference media. */
export function addAssets(program: Command, perform: Perform): void {
  const assets = program.command('assets').description('reference media: what the service has, beside your files');
  addLooking(assets, perform);
  addGroups(assets, perform);
  addUploads(assets, perform);
  assets
    .command('sync')
    .description('bring the library in step with the service')
    .option('--watch', 'go on doing it, every minute, until stopped')
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await change()).syncAssets(session, options)));
}

function addLooking(assets: Command, perform: Perform): void {
  assets
    .command('groups')
    .description('list asset groups as last seen')
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await look()).listGroups(session, options)));
  assets
    .command('list')
    .description('list assets as last seen')
    .option('--group <group>', 'only this group, by id or name')
    .addOption(new Option('--type <type>', 'only this type').choices(types))
    .option('--not-ready', 'only those that cannot be used')
    .option('--hidden', 'hidden ones too')
    .addOption(jsonOption())
    .action((options) => perform(async (session) => (await look()).listAssets(session, options)));
  assets
    .command('show')
    .description('print everything known of one asset')
    .argument('<ID>', 'asset id, or Asset://id')
    .addOption(jsonOption())
    .action((id, options) => perform(async (session) => (await look()).showAsset(session, id, options)));
  assets
    .command('where-used')
    .description('list the shots and takes that name an asset')
    .argument('<ID>', 'asset id, or Asset://id')
    .addOption(jsonOption())
    .action((id, options) => perform(async (session) => (await look()).whereUsed(session, id, options)));
  assets
    .command('hide')
    .description('take an asset out of sight here; the service has no way to delete one')
    .argument('<ID>', 'asset id, or Asset://id')
    .action((id) => perform(async (session) => (await look()).hideAsset(session, id, true)));
  assets
    .command('unhide')
    .description('show a hidden asset again')
    .argument('<ID>', 'asset id, or Asset://id')
    .action((id) => perform(async (session) => (await look()).hideAsset(session, id, false)));
}

function addGroups(assets: Command, perform: Perform): void {
  const group = assets.command('group').description('make and rename asset groups');
  group
    .command('create')
    .description('make a group')
    .argument('<NAME>', 'its name')
    .option('--description <text>', 'what it is for')
    .addOption(jsonOption())
    .action((name, options) => perform(async (session) => (await change()).createGroup(session, name, options)));
  group
    .command('rename')
    .description('give a group another name')
    .argument('<GROUP>', 'id or name')
    .argument('<NAME>', 'its new name')
    .addOption(jsonOption())
    .action((id, name, options) =>
      perform(async (session) => (await change()).renameGroup(session, id, name, options)),
    );
}

function addUploads(assets: Command, perform: Perform): void {
  const aimed = (command: Command): Command =>
    command
      .option('--group <group>', 'group, by id or name; made when it is not there (default: the account’s own)')
      .addOption(new Option('--as <use>', 'what it is to the shots that name it').choices(uses))
      .option('--model <model>', 'model it is prepared for')
      .addOption(new Option('--mode <mode>', 'where the service keeps it (default: asset)').choices(modes))
      .option('--no-wait', 'do not wait until it can be used')
      .addOption(jsonOption());
  aimed(
    assets
      .command('upload')
      .description('bring files into the library, each content once')
      .argument('<FILES...>', 'files'),
  ).action((files, options) => perform(async (session) => (await change()).uploadFiles(session, files, options)));
  aimed(
    assets
      .command('add-url')
      .description('let the service fetch public addresses into the library')
      .argument('<URLS...>', 'addresses'),
  ).action((urls, options) => perform(async (session) => (await change()).addUrls(session, urls, options)));
}
