import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { electronBinary } from '../../scripts/electron-binary.ts';
import { afterDesktop, planStart, startDesktop, type Circumstances, type End } from '../../scripts/start.ts';
import { entryIn } from '../support/entry.ts';
import { root } from './support/packaged-app.ts';

const work = mkdtempSync(join(tmpdir(), 'dailies-start-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe('npm start', () => {
  const scene: Circumstances = {
    binary: '/somewhere/electron',
    platform: 'linux',
    env: { DISPLAY: ':0' },
    isRoot: false,
    wantsWeb: false,
  };

  it('opens the desktop app where there is Electron, a display and a person', () => {
    const desktop = { host: 'desktop', binary: '/somewhere/electron' };
    expect(planStart(scene)).toEqual(desktop);
    expect(planStart({ ...scene, env: { WAYLAND_DISPLAY: 'wayland-0' } })).toEqual(desktop);
    expect(planStart({ ...scene, platform: 'darwin', env: {} })).toEqual(desktop);
    expect(planStart({ ...scene, platform: 'win32', env: {} })).toEqual(desktop);
  });

  it.each([
    [{ binary: null }, /is not on this machine[\s\S]*start:desktop/],
    [{ env: {} }, /no display/],
    [{ isRoot: true }, /does not run as root/],
    [{ wantsWeb: true }, /as was asked for/],
  ])('says why it takes a browser: %o', (other, words) => {
    const plan = planStart({ ...scene, ...other });
    expect(plan.host === 'web' && plan.because).toMatch(words);
  });

  it('finds Electron by looking, and never by asking its package', () => {
    writeFileSync(join(work, 'electron'), '');
    if (process.platform === 'linux')
      expect(electronBinary({ ELECTRON_OVERRIDE_DIST_PATH: work })).toBe(join(work, 'electron'));
    expect(electronBinary({ ELECTRON_OVERRIDE_DIST_PATH: join(work, 'nothing') })).toBeNull();
  });

  it.skipIf(process.platform === 'win32')('tells an app that ended from one that could not be run', async () => {
    const script = (name: string, text: string): string => {
      writeFileSync(join(work, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      return join(work, name);
    };
    const runs = script('runs', `[ "$1" = "${root}" ] && [ "$2" = list.csv ]`);
    expect(await startDesktop(runs, ['list.csv'])).toEqual({ how: 'exit', status: 0 });
    expect(await startDesktop(script('fails', 'exit 3'), [])).toEqual({ how: 'exit', status: 3 });
    expect(await startDesktop(script('traps', 'kill -TRAP $$'), [])).toMatchObject({
      how: 'signal',
      signal: 'SIGTRAP',
    });
    expect(await startDesktop(join(work, 'missing'), [])).toEqual({ how: 'notStarted' });
  });

  // Chromium ends itself so where user namespaces are forbidden and its helper has no rights
  // (https://github.com/electron/electron/issues/42510).
  const trapped: End = { how: 'signal', signal: 'SIGTRAP', afterMs: 300 };

  it.each<[string, End, NodeJS.Platform, RegExp | null, number | null]>([
    ['cannot be run', { how: 'notStarted' }, 'linux', /libraries of the system/, null],
    ['lacks a library', { how: 'exit', status: 127 }, 'linux', /libraries of the system/, null],
    ['may have no sandbox', trapped, 'linux', /does not allow its sandbox[\s\S]*browser/, null],
    ['crashes as it starts', { ...trapped, signal: 'SIGSEGV' }, 'linux', /SIGSEGV.*browser/, null],
    ['is stopped as it starts elsewhere', trapped, 'darwin', /SIGTRAP.*browser/, null],
    ['crashes after hours', { ...trapped, afterMs: 9_000_000 }, 'linux', /Nothing is lost/, 133],
    ['is ended by the person', { ...trapped, signal: 'SIGINT' }, 'linux', null, 130],
    ['ends', { how: 'exit', status: 0 }, 'linux', null, 0],
  ])(
    'says what it means that the app %s, and serves a browser only when it never ran',
    (_app, end, platform, says, status) => {
      const after = afterDesktop(end, platform);
      expect(after.status).toBe(status);
      if (says === null) expect(after.says).toBeNull();
      else expect(after.says).toMatch(says);
    },
  );

  // Windows has no signal that a program could answer.
  it.skipIf(process.platform === 'win32')(
    'serves the window, says where and why, and stops when told, without a stack trace',
    async () => {
      const env = { ...process.env, HOME: work, DAILIES_DATA: join(work, 'data'), PATH: work };
      const child = spawn(process.execPath, [join(root, 'scripts/start.ts'), '--web'], { cwd: work, env });
      let said = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
      const ended = new Promise((resolveEnd) => child.once('exit', resolveEnd));
      const address = () => entryIn(said);
      try {
        await expect.poll(address, { timeout: 20_000 }).not.toBeNull();
        expect((await fetch(address() ?? '')).status).toBe(200);
      } finally {
        child.kill('SIGTERM');
        await ended;
      }
      expect(said).toContain('Dailies opens in a browser');
      expect(said).not.toMatch(/^\s+at /m);
    },
  );
});
