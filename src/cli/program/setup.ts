import { Argument, type Command, Option } from 'commander';
import type { SecretChannel } from '../../contract/night-messages.ts';
import { say } from '../../contract/messages/words.ts';
import type { Perform } from '../session.ts';
import { factor, portNumber } from './options.ts';

// The words of the contract, repeated because loading its schemas would cost `--help` more than everything else.
const secretChannels: readonly SecretChannel[] = ['webhook', 'ntfy', 'slack', 'discord', 'mail'];

export function addSetup(program: Command, perform: Perform): void {
  const config = program.command('config').description(say('cli.helpConfig'));

  config
    .command('get')
    .description(say('cli.helpConfigGet'))
    .argument('[NAME]', say('cli.argSetting'))
    .action(perform(async () => (await import('../commands/config.ts')).getConfig, true));

  config
    .command('set')
    .description(say('cli.helpConfigSet'))
    .argument('<NAME>', say('cli.argSettingOrKey'))
    .argument('[VALUE]', say('cli.argValue'))
    .option('--default', say('cli.optDefault'))
    .option('--allow-file', say('cli.optKeyFile'))
    .action(perform(async () => (await import('../commands/config.ts')).setConfig, true));

  const messages = program.command('messages').description(say('cli.helpMessages'));
  const channelArgument = (name: string) => new Argument(name, say('cli.argChannel')).choices(secretChannels);

  messages
    .command('test')
    .description(say('cli.helpMessagesTest'))
    .addArgument(channelArgument('[CHANNEL]'))
    .action(perform(async () => (await import('../commands/messages.ts')).testMessages, true));

  messages
    .command('secret')
    .description(say('cli.helpMessagesSecret'))
    .addArgument(channelArgument('<CHANNEL>'))
    .option('--forget', say('cli.optSecretForget'))
    .action(perform(async () => (await import('../commands/messages.ts')).storeMessageSecret, true));

  program
    .command('service')
    .description(say('cli.helpService'))
    .option('--port <n>', say('cli.optPort'), portNumber)
    .option('--state <dir>', say('cli.optServiceState'))
    .option('--speed <factor>', say('cli.optSpeed'), factor)
    .addOption(new Option('--media <style>', say('cli.optMedia')).choices(['real', 'tiny']).default('real'))
    .option('--control', say('cli.optControl'))
    .action(perform(async () => (await import('../commands/service.ts')).service));
}
