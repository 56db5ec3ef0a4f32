import { describe, expect, it } from 'vitest';
import { Receiver } from '../host/messages/receivers.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { CliScene, FakeKeychain, typed } from './support.ts';

/** A scene with a keychain that keeps each secret under its name. */
function deskWithKeychain(): { readonly scene: CliScene; readonly kept: Map<string, FakeKeychain> } {
  const scene = new CliScene();
  // A message that is slow under load is not late.
  scene.clock = new FakeClock();
  const kept = new Map<string, FakeKeychain>();
  scene.parts = {
    keychain(name = 'api-key') {
      const found = kept.get(name) ?? new FakeKeychain();
      kept.set(name, found);
      return Promise.resolve(found);
    },
  };
  return { scene, kept };
}

describe('dailies messages', () => {
  it('stores a secret from standard input in the keychain alone, and signs the test with it', async () => {
    const receiver = await new Receiver().open();
    const { scene, kept } = deskWithKeychain();
    expect(await scene.run('config', 'set', 'messages.webhook.url', receiver.url)).toBe(0);
    scene.stdin = typed('hook-secret\n');
    expect(await scene.run('messages', 'secret', 'webhook')).toBe(0);
    expect(scene.said).not.toContain('hook-secret');
    expect(kept.get('messages-webhook')?.secret).toBe('hook-secret');
    expect(await scene.says('messages', 'test')).toBe('webhook: The test message was sent.\n');
    expect(receiver.received[0]?.headers).toHaveProperty('x-dailies-signature');
    expect(await scene.run('messages', 'secret', 'webhook', '--forget')).toBe(0);
    expect(kept.get('messages-webhook')?.secret).toBeNull();
    receiver.answer = (response) => response.writeHead(404).end();
    expect(await scene.run('messages', 'test', 'webhook')).toBe(3);
    expect(scene.stdout.text).toContain('returned 404');
    await receiver.close();
  });

  it('refuses what would give a secret away, and says so of channels that are off', async () => {
    const { scene, kept } = deskWithKeychain();
    expect(await scene.run('messages', 'secret', 'webhook', 'hook-secret')).toBe(2);
    expect(await scene.run('config', 'set', 'messages.webhook.url', 'http://hooks.example/a')).toBe(2);
    expect(scene.stderr.text).toContain('https://');
    scene.stdin = typed('http://hooks.example/services/T0\n');
    expect(await scene.run('messages', 'secret', 'slack')).toBe(2);
    expect(scene.said).not.toContain('T0');
    scene.env['DAILIES_NTFY_TOKEN'] = 'tk';
    scene.stdin = typed('another\n');
    expect(await scene.refuses('messages', 'secret', 'ntfy')).toContain('DAILIES_NTFY_TOKEN');
    expect([...kept.values()].filter(({ secret }) => secret !== null)).toEqual([]);
    expect(await scene.refuses('messages', 'test')).toContain('No channel');
  });
});
