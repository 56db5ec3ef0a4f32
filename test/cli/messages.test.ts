import { describe, expect, it } from 'vitest';
import { Receiver } from '../host/messages/receivers.ts';
import { Desk, FakeKeychain, typed } from './support.ts';

/** A desk with a keychain that keeps each secret under its name. */
function deskWithKeychain(): { readonly desk: Desk; readonly kept: Map<string, FakeKeychain> } {
  const desk = new Desk();
  const kept = new Map<string, FakeKeychain>();
  desk.parts = {
    keychain(name = 'api-key') {
      const found = kept.get(name) ?? new FakeKeychain();
      kept.set(name, found);
      return Promise.resolve(found);
    },
  };
  return { desk, kept };
}

describe('dailies messages', () => {
  it('stores a secret from standard input in the keychain alone, and signs the test with it', async () => {
    const receiver = await new Receiver().open();
    const { desk, kept } = deskWithKeychain();
    expect(await desk.run('config', 'set', 'messages.webhook.url', receiver.url)).toBe(0);
    desk.stdin = typed('hook-secret\n');
    expect(await desk.run('messages', 'secret', 'webhook')).toBe(0);
    expect(desk.said).not.toContain('hook-secret');
    expect(kept.get('messages-webhook')?.secret).toBe('hook-secret');
    expect(await desk.run('messages', 'test')).toBe(0);
    expect(desk.stdout.text).toBe('webhook: the test message was sent.\n');
    expect(receiver.received[0]?.headers).toHaveProperty('x-dailies-signature');
    expect(await desk.run('messages', 'secret', 'webhook', '--forget')).toBe(0);
    expect(kept.get('messages-webhook')?.secret).toBeNull();
    receiver.answer = (response) => response.writeHead(404).end();
    expect(await desk.run('messages', 'test', 'webhook')).toBe(3);
    expect(desk.stdout.text).toContain('status 404');
    await receiver.close();
  });

  it('refuses what would give a secret away, and says so of channels that are off', async () => {
    const { desk, kept } = deskWithKeychain();
    expect(await desk.run('messages', 'secret', 'webhook', 'hook-secret')).toBe(2);
    expect(await desk.run('config', 'set', 'messages.webhook.url', 'http://hooks.example/a')).toBe(2);
    expect(desk.stderr.text).toContain('https://');
    desk.stdin = typed('http://hooks.example/services/T0\n');
    expect(await desk.run('messages', 'secret', 'slack')).toBe(2);
    expect(desk.said).not.toContain('T0');
    desk.env['DAILIES_NTFY_TOKEN'] = 'tk';
    desk.stdin = typed('another\n');
    expect(await desk.run('messages', 'secret', 'ntfy')).toBe(2);
    expect(desk.stderr.text).toContain('DAILIES_NTFY_TOKEN');
    expect([...kept.values()].filter(({ secret }) => secret !== null)).toEqual([]);
    expect(await desk.run('messages', 'test')).toBe(2);
    expect(desk.stderr.text).toContain('No channel');
  });
});
