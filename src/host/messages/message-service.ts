import { randomUUID } from 'node:crypto';
import type { MessageChannel } from '../../contract/night-messages.ts';
import type { MessageService } from '../../server/services.ts';
import { Channels, type ChannelsParts } from './channels.ts';
import type { NightMessages } from './night-messages.ts';
import { secretSources, storeSecret } from './secrets.ts';

/** What windows may do with messages. */
export function messageService(ways: ChannelsParts, night: Pick<NightMessages, 'follow'>): MessageService {
  return {
    settingsChanged: () => night.follow(),
    secrets: () => secretSources(ways.machine),
    storeSecret: (channel, secret) => storeSecret(ways.machine, channel, secret),
    test: (channel) => sendTest(ways, channel),
  };
}

/** Sends one test message, without further tries. Throws a DailiesError. */
export function sendTest(ways: ChannelsParts, channel: MessageChannel): Promise<void> {
  const test = { event: 'test', at: ways.machine.clock.now() } as const;
  return new Channels(ways).send(channel, test, randomUUID(), new AbortController().signal);
}
