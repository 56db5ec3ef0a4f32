import { say } from '../../contract/messages/words.ts';
import { SecretChannel } from '../../contract/night-messages.ts';
import { proxiesOf } from '../../engine/api/proxies.ts';
import { DailiesError } from '../../engine/base/errors.ts';
import { Channels } from '../../host/messages/channels.ts';
import { sendTest } from '../../host/messages/night-messages.ts';
import { storeSecret } from '../../host/messages/secrets.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { printLine } from '../output/list.ts';
import { plainText } from '../output/text.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
import { verb, word, type Given } from '../verb.ts';
import { givenSecret } from './config.ts';

const CHANNELS = { choices: SecretChannel.options };
const SECRET = [word('<CHANNEL>', 'cli.argChannel', CHANNELS), word('--forget', 'cli.optSecretForget')] as const;

export const verbs = [
  verb('messages test', 'cli.helpMessagesTest', [word('[CHANNEL]', 'cli.argChannel', CHANNELS)], testMessages, {
    endsAtOnce: true,
  }),
  verb('messages secret', 'cli.helpMessagesSecret', SECRET, storeMessageSecret, { endsAtOnce: true }),
];

async function testMessages(session: Session, { channel }: { readonly channel?: SecretChannel }): Promise<ExitStatus> {
  const { shell } = session;
  const settings = settingsOf(session);
  const ways = { machine: shell, settings: () => settings, routesTo: proxiesOf(shell.env), notify: null };
  const channels = channel === undefined ? new Channels(ways).on() : [channel];
  if (channels.length === 0) throw new UsageError(say('cli.noChannelOn'), say('remedy.messageChannelOff'));
  const print = printTo(session);
  let status: ExitStatus = exitStatus.saved;
  for (const each of channels) {
    try {
      await sendTest(ways, each);
      print(say('cli.messageSent', { channel: each }));
    } catch (error) {
      if (!(error instanceof DailiesError)) throw error;
      print(say('cli.messageNotSent', { channel: each, reason: plainText(error.text) }));
      if (error.remedy !== '') print(plainText(error.remedy));
      status = exitStatus.failed;
    }
  }
  return status;
}

/** Stores the secret of a channel in the keychain: typed, or from standard input, never from an argument. */
async function storeMessageSecret(session: Session, { channel, forget }: Given<typeof SECRET>): Promise<ExitStatus> {
  const { shell } = session;
  const secret = forget === true ? null : await givenSecret(shell, say('cli.secretQuestion', { channel }));
  await storeSecret(shell, channel, secret);
  return printLine(session, say(secret === null ? 'cli.secretForgotten' : 'cli.secretStored', { channel }));
}
