import { t } from '../../src/contract/messages/words.ts';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { enter, entryIn } from '../support/entry.ts';
import { fastClock, CliScene } from './support.ts';

/** A scene whose system opens addresses with a program of ours. */
function deskWithOpener(script: string, platform: NodeJS.Platform = 'linux', opener = 'xdg-open'): CliScene {
  const scene = new CliScene();
  scene.clock = fastClock(1);
  scene.parts = { platform };
  mkdirSync(scene.path('bin'));
  writeFileSync(scene.path('bin', opener), `#!/bin/sh\n${script}\n`);
  chmodSync(scene.path('bin', opener), 0o755);
  Object.assign(scene.env, { PATH: `${scene.path('bin')}:/usr/bin:/bin`, DISPLAY: ':99', DAILIES_API_KEY: 'the-key' });
  return scene;
}

/** Starts `dailies serve --open`; returns the address that it prints. */
async function serveOpen(scene: CliScene): Promise<string> {
  const serving = scene.run('serve', '--port', '0', '--open');
  onTestFinished(async () => {
    scene.interrupt();
    expect(await serving).toBe(0);
  });
  await until(() => entryIn(scene.stdout.text) !== null);
  return entryIn(scene.stdout.text) ?? '';
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries += 1) {
    if (tries > 1000) throw new Error('it does not come to pass');
    await wait(10);
  }
}

describe('dailies serve --open', () => {
  it('gives other programs the path of a private file, and neither a code nor the key', async () => {
    const scene = deskWithOpener(
      'echo "$@" > "$(dirname "$0")/seen.tmp"; env >> "$(dirname "$0")/seen.tmp"; mv "$(dirname "$0")/seen.tmp" "$(dirname "$0")/seen"',
    );
    const printed = await serveOpen(scene);
    await until(() => existsSync(scene.path('bin', 'seen')));
    const seen = readFileSync(scene.path('bin', 'seen'), 'utf8');
    const [file = ''] = seen.split('\n');
    expect(file).toBe(join(scene.dataFolder, 'run', 'open-window.html'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(scene.dataFolder, 'run')).mode & 0o777).toBe(0o700);
    expect(seen).not.toContain('enter=');
    expect(seen).not.toContain('the-key');
    const opened = entryIn(readFileSync(file, 'utf8').replaceAll('"', ' ')) ?? '';
    expect(opened).not.toBe(printed);
    const entered = await enter(opened);
    expect(seen).not.toContain(entered.pass);
    await expect(enter(opened)).rejects.toThrow('Each link works once.');
    expect((await enter(printed)).pass).toBe(entered.pass);
  });

  it('starts the opener of Windows by its whole path: a name alone is first looked for in the current folder', async () => {
    vi.stubEnv('SystemRoot', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const scene = deskWithOpener('touch "$(dirname "$0")/opened"', 'win32', 'C:\\Windows\\System32\\rundll32.exe');
    await serveOpen(scene);
    await until(() => existsSync(scene.path('bin', 'opened')));
  });

  it.each([
    ['there is no display', 'touch "$(dirname "$0")/opened"', { DISPLAY: '' }, t('cli.noBrowser')],
    ['the opener fails', 'exit 3', {}, t('cli.noBrowser')],
    ['there is no opener', '', { PATH: '/nowhere' }, t('cli.noBrowser')],
  ])('says so where %s, and goes on serving', async (_why, script, env, sentence) => {
    const scene = deskWithOpener(script);
    Object.assign(scene.env, env);
    const printed = await serveOpen(scene);
    await until(() => scene.stderr.text !== '');
    expect(scene.stderr.text).toBe(`${sentence}\n`);
    expect(existsSync(scene.path('bin', 'opened'))).toBe(false);
    expect((await enter(printed)).pass).toMatch(/^[\w-]{43}$/);
  });
});
