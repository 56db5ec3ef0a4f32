import { createHmac } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageChannel, NightMessage } from '../../../src/contract/night-messages.ts';
import { ntfyRequest, type Note } from '../../../src/host/messages/channels.ts';
import { createOutbox } from '../../../src/host/messages/night-messages.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { channelsWith, machineWith, Receiver } from './receivers.ts';

const AT = Date.UTC(2026, 0, 5, 20);
const forever = new AbortController().signal;
const finished: NightMessage = {
  event: 'finished',
  at: AT,
  counts: { saved: 380, failed: 2, unknown: 1, cancelled: 0, unfinished: 0 },
  batches: ['Secret film'],
};
const rejected: NightMessage = { event: 'key_rejected', at: AT, gate: 'key_refused', why: 'Nobody knows sk-1.' };

let receiver: Receiver;
beforeEach(async () => {
  receiver = await new Receiver().open();
});
afterEach(() => receiver.close());

const bodyOf = (index = 0) => JSON.parse(receiver.received[index]?.body.toString() ?? '') as Record<string, unknown>;

describe('the webhook', () => {
  it('is signed over the bytes it arrives as, with the secret of the environment', async () => {
    const channels = channelsWith(
      { webhook: { url: `${receiver.url}/hook?a=1` } },
      machineWith({ DAILIES_WEBHOOK_SECRET: 's3' }),
    );
    await channels.send('webhook', finished, 'id-1', forever);
    const [{ path, headers, body }] = receiver.received as [Receiver['received'][number]];
    const wanted = createHmac('sha256', 's3').update(body).digest('hex');
    expect(headers['x-dailies-signature']).toBe(`sha256=${wanted}`);
    expect(path).toBe('/hook?a=1');
    expect(JSON.parse(body.toString())).toEqual({
      version: 1,
      id: 'id-1',
      event: 'finished',
      at: '2026-01-05T20:00:00.000Z',
      title: 'The queue has finished',
      text: '380 saved, 2 failed, 1 needs a decision',
      facts: { saved: 380, failed: 2, undecided: 1, cancelled: 0, unfinished: 0 },
    });
  });

  it('has no signature without a secret, and says names and reasons only when asked to', async () => {
    const webhook = { url: receiver.url };
    await channelsWith({ webhook }).send('webhook', rejected, 'id-1', forever);
    await channelsWith({ webhook, details: true }).send('webhook', rejected, 'id-2', forever);
    await channelsWith({ webhook, details: true }).send('webhook', finished, 'id-3', forever);
    expect(receiver.received[0]?.headers).not.toHaveProperty('x-dailies-signature');
    expect(bodyOf(0)).toMatchObject({ event: 'key_rejected', facts: { reason: 'key_refused' } });
    expect(receiver.received[0]?.body.toString()).not.toContain('Nobody');
    expect(bodyOf(1)).toMatchObject({ facts: { reason: 'key_refused', why: 'Nobody knows sk-1.' } });
    expect(bodyOf(2)).toMatchObject({ facts: { batches: ['Secret film'] } });
  });

  it('follows no redirect, and is not sent again after one', async () => {
    receiver.answer = (response) => response.writeHead(307, { location: `${receiver.url}/elsewhere` }).end();
    const sent = channelsWith({ webhook: { url: receiver.url } }).send('webhook', finished, 'id', forever);
    await expect(sent).rejects.toMatchObject({ mayPass: false, text: expect.saying(/redirects/) });
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    [500, true],
    [429, true],
    [403, false],
  ])('may pass after status %i: %s', async (status, mayPass) => {
    receiver.answer = (response) => response.writeHead(status).end('x'.repeat(1000));
    const sent = channelsWith({ webhook: { url: receiver.url } }).send('webhook', finished, 'id', forever);
    await expect(sent).rejects.toMatchObject({ mayPass, text: expect.saying(new RegExp(String(status))) });
  });

  it('gives up a receiver that is too slow', async () => {
    const asked = Promise.withResolvers<true>();
    receiver.answer = () => asked.resolve(true);
    const clock = new FakeClock();
    const sent = channelsWith({ webhook: { url: receiver.url } }, machineWith({}, clock)).send(
      'webhook',
      finished,
      'id',
      forever,
    );
    await asked.promise;
    clock.advance(10_000);
    await expect(sent).rejects.toMatchObject({ mayPass: true, text: expect.saying(/within 10 seconds/) });
  });

  it.each(['http://hooks.example/', 'https://user:pass@hooks.example/', 'ftp://127.0.0.1/'])(
    'goes to no address that gives it away: %s',
    async (url) => {
      const machine = machineWith({ DAILIES_SLACK_URL: url });
      const sent = channelsWith({ slack: true }, machine).send('slack', finished, 'id', forever);
      await expect(sent).rejects.toMatchObject({ code: 'message_not_sent' });
    },
  );
});

describe('the forms of other receivers', () => {
  it('of ntfy go to its own host, whatever its path', () => {
    const note = { event: 'test', title: 't', text: 'x' } as Note;
    const address = new URL('https://ntfy.example//evil.example/night?x=1#y');
    expect(ntfyRequest(address, note, 'token').url.href).toBe('https://ntfy.example//evil.example/');
  });

  it('are those that ntfy, Slack and Discord read', async () => {
    const machine = machineWith({
      DAILIES_NTFY_TOKEN: 'tk_1',
      DAILIES_SLACK_URL: `${receiver.url}/slack`,
      DAILIES_DISCORD_URL: `${receiver.url}/discord`,
    });
    const channels = channelsWith(
      { ntfy: { url: `${receiver.url}/ntfy/night` }, slack: true, discord: true, details: true },
      machine,
    );
    expect(channels.on()).toEqual(['ntfy', 'slack', 'discord']);
    const named: NightMessage = { ...finished, batches: ['<!channel> & @everyone'] };
    for (const channel of ['ntfy', 'slack', 'discord'] as const) await channels.send(channel, named, 'id', forever);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/ntfy/', '/slack', '/discord']);
    expect(receiver.received[0]?.headers.authorization).toBe('Bearer tk_1');
    expect(bodyOf(0)).toMatchObject({
      topic: 'night',
      title: 'The queue has finished',
      priority: 3,
      tags: ['clapper'],
    });
    const slack = bodyOf(1) as { text: string; blocks: { text: { type: string } }[] };
    expect(slack.text).toContain('&lt;!channel&gt; &amp; @everyone');
    expect(slack.blocks.map(({ text }) => text.type)).toEqual(['plain_text', 'plain_text']);
    expect(bodyOf(2)).toMatchObject({ allowed_mentions: { parse: [] }, embeds: [{ title: 'The queue has finished' }] });
  });

  it('are not sent where the channel is off, or its address is not stored', async () => {
    const problem = (messages: object, channel: MessageChannel) =>
      expect(channelsWith(messages).send(channel, finished, 'id', forever)).rejects;
    await problem({}, 'webhook').toMatchObject({ text: expect.saying(/This channel is not set up/) });
    await problem({ slack: true }, 'slack').toMatchObject({ text: expect.saying(/DAILIES_SLACK_URL/) });
  });

  it('are told of the events that a person wants, and a test in any case', () => {
    const channels = channelsWith({ events: ['finished'], webhook: { url: receiver.url } });
    expect(channels.wants('webhook', finished)).toBe(true);
    expect(channels.wants('webhook', rejected)).toBe(false);
    expect(channels.wants('webhook', { event: 'test', at: AT })).toBe(true);
    expect(channels.wants('system', finished)).toBe(false);
  });
});

describe('mail', () => {
  it('arrives at a server, from a user with a password', async () => {
    const mails: string[] = [];
    const logins: unknown[] = [];
    const server = new SMTPServer({
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        logins.push([username, password]);
        done(null, { user: username });
      },
      onData(stream, session, done) {
        let text = '';
        stream.on('data', (piece: Buffer) => (text += piece.toString()));
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          mails.push(`${to.join(' ')}\n${text}`);
          done();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as { port: number };
    const mail = { host: '127.0.0.1', port, user: 'night@studio.example', to: 'a@studio.example, b@studio.example' };
    const machine = machineWith({ DAILIES_SMTP_PASSWORD: 'pw' });
    await channelsWith({ mail }, machine).send('mail', finished, 'id-1', forever);
    await new Promise<void>((resolve) => server.close(resolve));
    expect(logins).toEqual([['night@studio.example', 'pw']]);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatch(/^a@studio\.example b@studio\.example\n/);
    expect(mails[0]).toMatch(/^Subject: Dailies: The queue has finished\r$/m);
    expect(mails[0]).toContain('380 saved, 2 failed, 1 needs a decision');
  });

  it('gives up a server that never greets, and lets go of it', async () => {
    const greeted = Promise.withResolvers<Socket>();
    const server = createServer((socket) => greeted.resolve(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const clock = new FakeClock();
    const mail = { host: '127.0.0.1', port, to: 'a@studio.example', from: 'b@studio.example' };
    const sent = channelsWith({ mail }, machineWith({}, clock)).send('mail', finished, 'id', forever);
    const socket = await greeted.promise;
    const left = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    clock.advance(10_000);
    await expect(sent).rejects.toMatchObject({ mayPass: true });
    await left;
    server.close();
  });
});

describe('an outbox', () => {
  const log = () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    return { lines, logger: { debug: () => undefined, info: note, warn: note, error: note } };
  };

  it('tries a dead receiver five times, ever more slowly, and then gives up', async () => {
    const { url } = receiver;
    await receiver.close();
    const channels = channelsWith({ webhook: { url } });
    const clock = new FakeClock();
    const { lines, logger } = log();
    const tries: number[] = [];
    const outbox = createOutbox({
      channel: 'webhook',
      clock,
      logger,
      async deliver(message, id, signal) {
        tries.push(clock.now() - AT);
        await channels.send('webhook', message, id, signal);
      },
    });
    outbox.put(finished);
    for (const count of [1, 2, 3, 4]) {
      await expect.poll(() => [tries.length, clock.nextWakeAt() === null]).toEqual([count, false]);
      clock.advance((clock.nextWakeAt() ?? 0) - clock.now());
    }
    await outbox.drained();
    expect(tries).toEqual([0, 1000, 6000, 36_000, 156_000]);
    expect(lines).toEqual(['A message was not delivered']);
    receiver = await new Receiver().open();
  });

  it('holds no more than twenty, and gives up what waits when it is stopped', async () => {
    const { logger } = log();
    const asked: string[] = [];
    const outbox = createOutbox({
      channel: 'webhook',
      clock: new FakeClock(),
      logger,
      deliver: (message, _id, signal) => {
        asked.push(String(message.at));
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
      },
    });
    for (let index = 0; index < 100; index += 1) outbox.put({ event: 'test', at: index });
    await outbox.stop();
    expect(asked).toEqual(['0']);
  });
});
