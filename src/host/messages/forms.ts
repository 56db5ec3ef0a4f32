import { createHmac } from 'node:crypto';
import type { Note } from './words.ts';

/** One HTTP request that brings a message. */
export interface MessageRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Version of the body of the webhook; see `docs/night.md`. */
const VERSION = 1;

const json = { 'content-type': 'application/json; charset=utf-8' };

/** The signature is over the bytes of the body as they are sent. Without a secret there is none. */
export function webhookRequest(url: URL, note: Note, id: string, secret: string | null): MessageRequest {
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

/** Names of emoji, as ntfy has them. */
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
export function slackRequest(url: URL, { title, text }: Note): MessageRequest {
  const plain = (words: string, most: number) => ({ type: 'plain_text', text: cut(words, most) });
  const blocks = [
    { type: 'header', text: plain(title, 150) },
    { type: 'section', text: plain(text, 3000) },
  ];
  const escaped = `${title}: ${text}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return { url, headers: json, body: JSON.stringify({ text: escaped, blocks }) };
}

/** No name in it can mention a user. */
export function discordRequest(url: URL, { at, title, text }: Note): MessageRequest {
  const embed = { title: cut(title, 256), description: cut(text, 4096), timestamp: new Date(at).toISOString() };
  const body = JSON.stringify({ username: 'Dailies', embeds: [embed], allowed_mentions: { parse: [] } });
  return { url, headers: json, body };
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
