import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { jsonOption } from './options.ts';
import { Option, type Command } from 'commander';
import type { AssetType, UploadMode } from '../../contract/asset.ts';

// The words of the contract, repeated for the same reason as in `program.ts`.
const types: readonly AssetType[] = ['image', 'audio', 'video', 'file'];
const modes: readonly UploadMode[] = ['asset', 'oss', 'both'];
const uses = [
  'reference_image',
  'first_frame',
  'last_frame',
  'reference_video',
  'video_reference',
  'reference_audio',
  'avatar',
  'voice',
  'authorization',
] as const;

const look = () => import('../commands/assets-look.ts');
const change = () => import('../commands/assets-change.ts');

/** `dailies assets …`: the library of reference media. */
export function addAssets(program: Command, perform: Perform): void {
  const assets = program.command('assets').description(say('cli.helpAssets'));
  addLooking(assets, perform);
  addGroups(assets, perform);
  addUploads(assets, perform);
  assets
    .command('sync')
    .description(say('cli.helpAssetsSync'))
    .option('--watch', say('cli.optSyncWatch'))
    .addOption(jsonOption())
    .action(perform(async () => (await change()).syncAssets));
}

function addLooking(assets: Command, perform: Perform): void {
  assets
    .command('groups')
    .description(say('cli.helpAssetsGroups'))
    .addOption(jsonOption())
    .action(perform(async () => (await look()).listGroups));
  assets
    .command('list')
    .description(say('cli.helpAssetsList'))
    .option('--group <group>', say('cli.optGroupOnly'))
    .addOption(new Option('--type <type>', say('cli.optType')).choices(types))
    .option('--not-ready', say('cli.optNotReady'))
    .option('--hidden', say('cli.optHidden'))
    .addOption(jsonOption())
    .action(perform(async () => (await look()).listAssets));
  assets
    .command('show')
    .description(say('cli.helpAssetsShow'))
    .argument('<ID>', say('cli.argAsset'))
    .addOption(jsonOption())
    .action(perform(async () => (await look()).showAsset));
  assets
    .command('where-used')
    .description(say('cli.helpWhereUsed'))
    .argument('<ID>', say('cli.argAsset'))
    .addOption(jsonOption())
    .action(perform(async () => (await look()).whereUsed));
  assets
    .command('hide')
    .description(say('cli.helpHide'))
    .argument('<ID>', say('cli.argAsset'))
    .action(perform(async () => (await look()).hideAsset('hide')));
  assets
    .command('unhide')
    .description(say('cli.helpUnhide'))
    .argument('<ID>', say('cli.argAsset'))
    .action(perform(async () => (await look()).hideAsset('unhide')));
}

function addGroups(assets: Command, perform: Perform): void {
  const group = assets.command('group').description(say('cli.helpGroup'));
  group
    .command('create')
    .description(say('cli.helpGroupCreate'))
    .argument('<NAME>', say('cli.argGroupName'))
    .option('--description <text>', say('cli.optDescription'))
    .addOption(jsonOption())
    .action(perform(async () => (await change()).createGroup));
  group
    .command('rename')
    .description(say('cli.helpGroupRename'))
    .argument('<GROUP>', say('cli.argGroup'))
    .argument('<NAME>', say('cli.argNewName'))
    .addOption(jsonOption())
    .action(perform(async () => (await change()).renameGroup));
}

function addUploads(assets: Command, perform: Perform): void {
  const aimed = (command: Command): Command =>
    command
      .option('--group <group>', say('cli.optGroupInto'))
      .addOption(new Option('--as <use>', say('cli.optAs')).choices(uses))
      .option('--model <model>', say('cli.optForModel'))
      .addOption(new Option('--mode <mode>', say('cli.optMode')).choices(modes))
      .option('--no-wait', say('cli.optNoWait'))
      .addOption(jsonOption());
  aimed(assets.command('upload').description(say('cli.helpUpload')).argument('<FILES...>', say('cli.argFiles'))).action(
    perform(async () => (await change()).uploadFiles),
  );
  aimed(assets.command('add-url').description(say('cli.helpAddUrl')).argument('<URLS...>', say('cli.argUrls'))).action(
    perform(async () => (await change()).addUrls),
  );
}
