import { messageFor, type MessageKey, type Text } from '../../contract/messages/message.ts';
import type { MessageChannel, NightHalt, NightMessage, SecretChannel } from '../../contract/night-messages.ts';
import type { Settings } from '../../contract/settings.ts';
import type { Clock, RoutesTo } from '../../engine/base/ports.ts';
import { secretVariables, type Environment } from '../process-environment.ts';
import { messageAddress, findSecret } from './secrets.ts';
import { Agent, buildConnector, request } from 'undici';
import { connectorThrough, connectorUntil } from '../../engine/api/proxies.ts';
import { DailiesError, toMessage, systemCode } from '../../engine/base/errors.ts';
import { Socket } from 'node:net';
import { isLocalHost } from '../../engine/api/address.ts';
import { createHmac } from 'node:crypto';
import { countsInWords } from '../../contract/in-words.ts';
import { t, sayText } from '../../contract/messages/words.ts';

export interface ChannelsParts {
  readonly machine: Pick<Environment, 'env' | 'keychain' | 'clock'>;
  readonly settings: () => Settings;
  readonly routesTo: RoutesTo;
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

export class Channels {
  readonly #parts: ChannelsParts;

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
  }

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

  wants(channel: MessageChannel, { event }: NightMessage): boolean {
    const { events } = this.#parts.settings().messages;
    if (event !== 'test' && !events.includes(event)) return false;
    return channel !== 'system' || !SHOWN_BY_APP.has(event);
  }

  /** One try, of ten seconds at most. Throws a DailiesError. */
  async send(channel: MessageChannel, message: NightMessage, id: string, stopped: AbortSignal): Promise<void> {
    if (!this.on().includes(channel)) {
      throw new DeliveryError(messageFor('failure.messageChannelOff', { which: 'one' }), false);
    }
    const note = noteFor(message, this.#parts.settings().messages.details);
    const { notify, machine } = this.#parts;
    await inTime(machine.clock, stopped, async (signal) => {
      if (channel === 'system') return notify?.(note);
      if (channel === 'mail') return this.#mail(note, id, signal);
      const { routesTo } = this.#parts;
      return sendRequest(await this.#request(channel, note, id), { routesTo, signal });
    });
  }

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
    const facts = { variable: secretVariables[channel] };
    throw new DeliveryError(messageFor('failure.messageSecretMissing', facts), false);
  }
}

const TIMEOUT_MS = 10_000;

/** Does `work`, which ends with its signal, within the time of one try. Throws DeliveryError. */
async function inTime<Result>(
  clock: Clock,
  stopped: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const done = new AbortController();
  const isLate = new DeliveryError(messageFor('failure.messageTimeout', { seconds: TIMEOUT_MS / 1000 }), true);
  void clock.sleep(TIMEOUT_MS, { signal: done.signal }).then(
    () => late.abort(isLate),
    () => undefined,
  );
  try {
    return await work(AbortSignal.any([late.signal, stopped]));
  } catch (error) {
    if (error instanceof DeliveryError) throw error;
    throw late.signal.aborted ? isLate : notSent(error);
  } finally {
    done.abort();
  }
}

/** Of another's error only its code, where it has one: the text may hold the address. */
const notSent = (error: unknown): DeliveryError => {
  const reason = systemCode(error) ?? (error instanceof Error ? error.name : toMessage(error));
  return new DeliveryError(messageFor('failure.messageNotSent', { reason: `${reason}.` }), true);
};

/** Sends one request on its own connection; no redirects, only the status is read. Throws DeliveryError on failure. */
async function sendRequest(
  { url, headers, body }: MessageRequest,
  { routesTo, signal }: { readonly routesTo: RoutesTo; readonly signal: AbortSignal },
): Promise<void> {
  const open = buildConnector({ timeout: TIMEOUT_MS });
  const connect = connectorUntil(signal, connectorThrough(routesTo, open, TIMEOUT_MS));
  const agent = new Agent({ connect });
  try {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent, signal });
    answer.body.on('error', () => undefined).destroy();
    checkStatus(answer.statusCode);
  } finally {
    await agent.destroy();
  }
}

function checkStatus(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) {
    throw new DeliveryError(messageFor('failure.messageRedirected'), false);
  }
  const mayPass = status >= 500 || status === 408 || status === 429;
  throw new DeliveryError(messageFor('failure.messageRefused', { status: String(status) }), mayPass);
}

type MailSettings = Settings['messages']['mail'];

/**
 * Sends one message by mail. Password and text go unencrypted only to this machine and private networks. Connects
 * directly, also where there is a proxy. Throws when the server does not accept it.
 */
async function sendMail(
  { host, port, secure, user, from, to }: MailSettings,
  { title, text, at }: Note,
  { id, password, signal }: { readonly id: string; readonly password: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const isPrivate = isLocalHost(host);
  // A socket of ours, since nodemailer has no way to give one up.
  const socket = new Socket();
  const transport = createTransport({
    host,
    port,
    secure,
    socket,
    requireTLS: !secure && !isPrivate,
    // Servers of a studio sign for themselves.
    tls: { rejectUnauthorized: !isPrivate },
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== '' && { auth: { user, pass: password ?? '' } }),
  });
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => {
    socket.destroy();
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const mail = {
      from: from === '' ? user : from,
      to,
      subject: `Dailies: ${title}`,
      text,
      date: new Date(at),
      messageId: `<${id}@dailies.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
    await Promise.race([transport.sendMail(mail), stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

interface MessageRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Version of the body of the webhook; see `docs/guide/night.md`. */
const VERSION = 1;

const json = { 'content-type': 'application/json; charset=utf-8' };

/** The signature is over the bytes of the body as they are sent. Without a secret there is none. */
function webhookRequest(url: URL, note: Note, id: string, secret: string | null): MessageRequest {
  const { event, at, title, text, facts } = note;
  const body = JSON.stringify({ version: VERSION, id, event, at: new Date(at).toISOString(), title, text, facts });
  const signature = secret === null ? {} : { 'x-dailies-signature': `sha256=${hmac(secret, body)}` };
  return { url, headers: { ...json, ...signature }, body };
}

const hmac = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex');

/** Published as JSON at the root of the server, since headers take no text but ASCII. The topic is the end of the path. */
export function ntfyRequest(topicUrl: URL, { event, title, text }: Note, token: string | null): MessageRequest {
  const [, folder = '', topic = ''] = /^(.*)\/([^/]+)\/?$/.exec(topicUrl.pathname) ?? [];
  const url = new URL(topicUrl);
  // Not by the text of an address: a path that begins with two slashes would name another host.
  url.pathname = `${folder}/`;
  url.search = '';
  url.hash = '';
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const body = JSON.stringify({ topic, title, message: text, priority: isQuiet(event) ? 3 : 4, tags: [tags[event]] });
  return { url, headers: { ...json, ...authorization }, body };
}

const isQuiet = (event: Note['event']): boolean => event === 'finished' || event === 'test';

const tags: Readonly<Record<Note['event'], string>> = {
  needs_decision: 'question',
  key_rejected: 'key',
  disk_low: 'floppy_disk',
  cap_near: 'moneybag',
  cap_reached: 'moneybag',
  model_failing: 'warning',
  stopped: 'octagonal_sign',
  stalled: 'hourglass',
  finished: 'clapper',
  test: 'test_tube',
};

/** `text` is what notifications show; there Slack reads three characters as markup, in blocks of plain text none. */
function slackRequest(url: URL, { title, text }: Note): MessageRequest {
  const plain = (words: string, most: number) => ({ type: 'plain_text', text: cut(words, most) });
  const blocks = [
    { type: 'header', text: plain(title, 150) },
    { type: 'section', text: plain(text, 3000) },
  ];
  const escaped = `${title}: ${text}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { url, headers: json, body: JSON.stringify({ text: escaped, blocks }) };
}

/** No name in it can mention a user. */
function discordRequest(url: URL, { at, title, text }: Note): MessageRequest {
  const embed = { title: cut(title, 256), description: cut(text, 4096), timestamp: new Date(at).toISOString() };
  const body = JSON.stringify({ username: 'Dailies', embeds: [embed], allowed_mentions: { parse: [] } });
  return { url, headers: json, body };
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

export class DeliveryError extends DailiesError {
  readonly code = 'message_not_sent';
  readonly remedy = '';
  readonly mayPass: boolean;

  constructor(text: Text, mayPass: boolean) {
    super(text);
    this.mayPass = mayPass;
  }
}

export interface Note {
  readonly event: NightMessage['event'];
  readonly at: number;
  readonly title: string;
  readonly text: string;
  /** For programs: numbers and codes, and names only with details. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The words of a message. Names, and the words of service or system, are in it only `withDetails`. Pure. */
function noteFor(message: NightMessage, withDetails: boolean): Note {
  const { event, at } = message;
  const { title, text, facts, detail } = toWords(message);
  if (!withDetails || detail === null) return { event, at, title, text, facts };
  return { event, at, title, text: `${text}\n${detail.text}`, facts: { ...facts, ...detail.facts } };
}

interface Words {
  readonly title: string;
  readonly text: string;
  readonly facts: Note['facts'];
  readonly detail: { readonly text: string; readonly facts: Note['facts'] } | null;
}

function toWords(message: NightMessage): Words {
  switch (message.event) {
    case 'needs_decision': {
      const { undecided, shots } = message;
      const title = t('message.decisionTitle', { count: undecided });
      const detail = shots.length === 0 ? null : { text: t('message.shots', { names: shots }), facts: { shots } };
      return { title, text: t('message.decisionText'), facts: { undecided }, detail };
    }
    case 'stalled': {
      const { minutes, unfinished } = message;
      const text = t('message.stalledText', { count: unfinished });
      return { title: t('message.stalledTitle', { minutes }), text, facts: { minutes, unfinished }, detail: null };
    }
    case 'finished': {
      const { counts, batches } = message;
      const { saved, failed, unknown: undecided, cancelled, unfinished } = counts;
      const facts = { saved, failed, undecided, cancelled, unfinished };
      const names = t('message.batches', { names: batches });
      const detail = batches.length === 0 ? null : { text: names, facts: { batches } };
      const title = t('message.finishedTitle', { unfinished });
      return { title, text: countsInWords(counts), facts, detail };
    }
    case 'cap_near': {
      const { scope, percent, name } = message;
      const title = t('message.capNearTitle', { percent });
      const detail = name === '' ? null : { text: t('message.capNearOf', { scope, name }), facts: { name } };
      return { title, text: t('message.capNearText', { scope }), facts: { scope, percent }, detail };
    }
    case 'test':
      return { title: t('message.testTitle'), text: t('message.testText'), facts: {}, detail: null };
    default: {
      const why = sayText(message.why);
      const { gate } = message;
      const [title, text] = gate === 'no_credit' ? noCredit : haltWords[message.event];
      return { title: t(title), text: t(text), facts: { reason: gate }, detail: { text: why, facts: { why } } };
    }
  }
}

const haltWords = {
  key_rejected: ['message.keyTitle', 'message.keyText'],
  disk_low: ['gate.diskLow', 'message.diskText'],
  model_failing: ['message.modelTitle', 'message.modelText'],
  cap_reached: ['message.capTitle', 'message.capText'],
  stopped: ['message.stoppedTitle', 'message.stoppedText'],
} as const satisfies Readonly<Record<NightHalt, readonly [MessageKey, MessageKey]>>;

const noCredit = ['message.stoppedTitle', 'message.noCreditText'] as const;
