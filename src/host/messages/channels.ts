import { messageFor } from '../../contract/messages/message.ts';
import type { MessageChannel, NightMessage, SecretChannel } from '../../contract/night-messages.ts';
import type { Settings } from '../../contract/settings.ts';
import type { RoutesTo } from '../../engine/base/ports.ts';
import { secretVariables, type Surroundings } from '../process-surroundings.ts';
import { messageAddress } from './addresses.ts';
import { channelOff, DeliveryError } from './delivery-error.ts';
import { discordRequest, ntfyRequest, slackRequest, webhookRequest, type MessageRequest } from './forms.ts';
import { sendMail } from './mail.ts';
import { findSecret } from './secrets.ts';
import { inTime, sendRequest } from './send.ts';
import { noteOf, type Note } from './words.ts';

export interface ChannelsParts {
  readonly machine: Pick<Surroundings, 'env' | 'keychain' | 'clock'>;
  readonly settings: () => Settings;
  readonly routesTo: RoutesTo;
  /** Shows a notification of the system; null where the host cannot. */
  readonly notify: ((note: Pick<Note, 'title' | 'text'>) => Promise<void>) | null;
}

/**
 * Events that the app's own notifications show already: the end of each batch, and a queue that waits for the person.
 */
const SHOWN_BY_APP: ReadonlySet<NightMessage['event']> = new Set([
  'finished',
  'key_rejected',
  'cap_reached',
  'stopped',
]);

/** The ways on which messages leave the machine. Settings and secrets are read at each of them. */
export class Channels {
  readonly #parts: ChannelsParts;

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
  }

  /** The channels that are switched on. */
  on(): readonly MessageChannel[] {
    const { webhook, ntfy, slack, discord, mail, system } = this.#parts.settings().messages;
    const switched: Readonly<Record<MessageChannel, boolean>> = {
      webhook: webhook.url !== '',
      ntfy: ntfy.url !== '',
      slack,
      discord,
      mail: mail.host !== '' && mail.to !== '',
      system: system && this.#parts.notify !== null,
    };
    return (Object.keys(switched) as MessageChannel[]).filter((channel) => switched[channel]);
  }

  /** Whether the channel is set to send it. */
  wants(channel: MessageChannel, { event }: NightMessage): boolean {
    const { events } = this.#parts.settings().messages;
    if (event !== 'test' && !events.includes(event)) return false;
    return channel !== 'system' || !SHOWN_BY_APP.has(event);
  }

  /** One try, of ten seconds at most. Throws a DailiesError. */
  async send(channel: MessageChannel, message: NightMessage, id: string, stopped: AbortSignal): Promise<void> {
    if (!this.on().includes(channel)) throw channelOff();
    const note = noteOf(message, this.#parts.settings().messages.details);
    const { notify, machine } = this.#parts;
    await inTime(machine.clock, stopped, async (signal) => {
      if (channel === 'system') return notify?.(note);
      if (channel === 'mail') return this.#mail(note, id, signal);
      const { routesTo } = this.#parts;
      return sendRequest(await this.#request(channel, note, id), { routesTo, signal });
    });
  }

  /** Asks the heartbeat's address. Throws a DailiesError. */
  async beat(stopped: AbortSignal): Promise<void> {
    const { machine, routesTo, settings } = this.#parts;
    const url = messageAddress(settings().messages.heartbeat.url);
    await inTime(machine.clock, stopped, (signal) => sendRequest({ url, headers: {}, body: '' }, { routesTo, signal }));
  }

  async #request(channel: 'webhook' | 'ntfy' | 'slack' | 'discord', note: Note, id: string): Promise<MessageRequest> {
    const { messages } = this.#parts.settings();
    switch (channel) {
      case 'webhook': {
        const secret = await this.#secret('webhook');
        return webhookRequest(messageAddress(messages.webhook.url), note, id, secret);
      }
      case 'ntfy':
        return ntfyRequest(messageAddress(messages.ntfy.url), note, await this.#secret('ntfy'));
      case 'slack':
        return slackRequest(await this.#secretAddress('slack'), note);
      case 'discord':
        return discordRequest(await this.#secretAddress('discord'), note);
    }
  }

  async #mail(note: Note, id: string, signal: AbortSignal): Promise<void> {
    const { mail } = this.#parts.settings().messages;
    const password = mail.user === '' ? null : await this.#secret('mail');
    await sendMail(mail, note, { id, password, signal });
  }

  async #secret(channel: SecretChannel): Promise<string | null> {
    return (await findSecret(this.#parts.machine, channel)).secret;
  }

  async #secretAddress(channel: 'slack' | 'discord'): Promise<URL> {
    const address = await this.#secret(channel);
    if (address !== null) return messageAddress(address);
    throw new DeliveryError(messageFor('failure.messageSecretMissing'), {
      mayPass: false,
      remedy: messageFor('remedy.messageSecretMissing', { variable: secretVariables[channel] }),
    });
  }
}
