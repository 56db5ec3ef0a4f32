import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stageLauncher } from '../../scripts/stage-package.ts';
import { bounded } from './support/packaged-app.ts';

describe('the launcher of the command', () => {
  const place = mkdtempSync(join(tmpdir(), 'dailies launcher & more '));
  const launcher = join(place, 'bin', process.platform === 'win32' ? 'dailies.exe' : 'dailies');
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
    spawnSync(launcher, args, {
      env: { ...process.env, DAILIES_NODE: process.execPath, ...env },
      encoding: 'utf8',
      input,
      ...bounded,
    });

  beforeAll(() => {
    stageLauncher(join(place, 'bin'), process.platform);
    const main = join(place, 'app.asar.unpacked', 'cli', 'out', 'main');
    mkdirSync(main, { recursive: true });
    writeFileSync(
      join(main, 'cli.js'),
      `process.stdin.setEncoding('utf8').on('data', (text) => process.stderr.write(text)).on('end', () => {
        process.stdout.write(JSON.stringify(process.argv.slice(2)));
        process.exitCode = 5;
      });`,
    );
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('hands over every argument as it was given, and what is written on both sides', () => {
    const args = ['a&b', '%PATH%', '100%', 'price>5', '^', '!x!', 'say "hi" & bye', '', 'C:\\end\\', '镜头 010'];
    const { status, stdout, stderr } = run(args, {}, 'a list');
    expect(JSON.parse(stdout)).toEqual(args);
    expect([status, stderr]).toEqual([5, 'a list']);
  });

  it('says what to do where there is no Node.js', () => {
    const { status, stderr } = run(['status'], { DAILIES_NODE: join(place, 'none') });
    expect(status).toBe(2);
    expect(stderr).toContain('The dailies command needs Node.js 22.19 or newer');
  });
});
