import { say } from '../../src/contract/messages/words.ts';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enter, entryIn } from '../support/entry.ts';
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

/** Starts `dailies serve --open`; returns the address that it prints. */
async function serveOpen(desk: Desk): Promise<string> {
  const serving = desk.run('serve', '--port', '0', '--open');
  onTestFinished(async () => {
    desk.interrupt();
    expect(await serving).toBe(0);
  });
  await until(() => entryIn(desk.stdout.text) !== null);
  return entryIn(desk.stdout.text) ?? '';
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 1000) throw new Error('it does not come to pass');
    await wait(10);
  }
}

describe('dailies serve --open', () => {
  it('gives other programs the path of a private file, and neither a code nor the key', async () => {
    const desk = deskWithOpener(
      'echo "$@" > "$(dirname "$0")/seen.tmp"; env >> "$(dirname "$0")/seen.tmp"; mv "$(dirname "$0")/seen.tmp" "$(dirname "$0")/seen"',
    );
    const printed = await serveOpen(desk);
    await until(() => existsSync(desk.path('bin', 'seen')));
    const seen = readFileSync(desk.path('bin', 'seen'), 'utf8');
    const [file = ''] = seen.split('\n');
    expect(file).toBe(join(desk.dataFolder, 'run', 'open-window.html'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(desk.dataFolder, 'run')).mode & 0o777).toBe(0o700);
    expect(seen).not.toContain('enter=');
    expect(seen).not.toContain('the-key');
    const opened = entryIn(readFileSync(file, 'utf8').replaceAll('"', ' ')) ?? '';
    expect(opened).not.toBe(printed);
    const entered = await enter(opened);
    expect(seen).not.toContain(entered.pass);
    await expect(enter(opened)).rejects.toThrow('Each opens once.');
    expect((await enter(printed)).pass).toBe(entered.pass);
  });

  it.each([
    ['there is no display', 'touch "$(dirname "$0")/opened"', { DISPLAY: '' }, say('cli.noDisplay')],
    ['the opener fails', 'exit 3', {}, say('cli.noBrowser')],
    ['there is no opener', '', { PATH: '/nowhere' }, say('cli.noBrowser')],
  ])('says so where %s, and goes on serving', async (_why, script, env, sentence) => {
    const desk = deskWithOpener(script);
    Object.assign(desk.env, env);
    const printed = await serveOpen(desk);
    await until(() => desk.stderr.text !== '');
    expect(desk.stderr.text).toBe(`${sentence}\n`);
    expect(existsSync(desk.path('bin', 'opened'))).toBe(false);
    expect((await enter(printed)).pass).toMatch(/^[\w-]{43}$/);
  });
});
