import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fastClock, Desk } from './support.ts';

/** A desk whose system opens addresses with a program of ours. */
function deskWithOpener(script: string): Desk {
  const desk = new Desk();
  desk.clock = fastClock(1);
  desk.parts = { platform: 'linux' };
  mkdirSync(desk.path('bin'));
  writeFileSync(desk.path('bin', 'xdg-open'), `#!/bin/sh\n${script}\n`);
  chmodSync(desk.path('bin', 'xdg-open'), 0o755);
  Object.assign(desk.env, { PATH: `${desk.path('bin')}:/usr/bin:/bin`, DISPLAY: ':99', DAILIES_API_KEY: 'the-key' });
  return desk;
}

/** Starts `dailies serve --open`; returns the address with the token that it prints. */
async function serveOpen(desk: Desk): Promise<URL> {
  const serving = desk.run('serve', '--port', '0', '--open');
  onTestFinished(async () => {
    desk.interrupt();
    expect(await serving).toBe(0);
  });
  await until(() => desk.stdout.text.includes('token='));
  return new URL(desk.stdout.text.trim().split(' ').at(-1) ?? '');
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 1000) throw new Error('it does not come to pass');
    await wait(10);
  }
}

const visit = (address: string) => fetch(address, { redirect: 'manual' });

describe('dailies serve --open', () => {
  it('opens an address that lets in once, and tells no other program the token or the key', async () => {
    const desk = deskWithOpener(
      'echo "$@" > "$(dirname "$0")/seen.tmp"; env >> "$(dirname "$0")/seen.tmp"; mv "$(dirname "$0")/seen.tmp" "$(dirname "$0")/seen"',
    );
    const printed = await serveOpen(desk);
    await until(() => existsSync(desk.path('bin', 'seen')));
    const seen = readFileSync(desk.path('bin', 'seen'), 'utf8');
    const [address = ''] = seen.split('\n');
    expect(address).toMatch(new RegExp(`^${printed.origin}/\\?enter=[\\w.-]+$`));
    expect(seen).not.toContain(printed.searchParams.get('token'));
    expect(seen).not.toContain('the-key');
    const first = await visit(address);
    expect(first.status).toBe(303);
    expect(first.headers.get('set-cookie')).toContain(printed.searchParams.get('token'));
    expect((await visit(address)).status).toBe(401);
  });

  it.each([
    ['there is no display', 'touch "$(dirname "$0")/opened"', { DISPLAY: '' }, 'There is no display here'],
    ['the opener fails', 'exit 3', {}, 'No browser could be started'],
    ['there is no opener', '', { PATH: '/nowhere' }, 'No browser could be started'],
  ])('says so where %s, and goes on serving', async (_why, script, env, sentence) => {
    const desk = deskWithOpener(script);
    Object.assign(desk.env, env);
    const printed = await serveOpen(desk);
    await until(() => desk.stderr.text !== '');
    expect(desk.stderr.text).toBe(`${sentence}: open the address above in a browser of this machine.\n`);
    expect(existsSync(desk.path('bin', 'opened'))).toBe(false);
    expect((await visit(printed.href)).status).toBe(303);
  });
});
