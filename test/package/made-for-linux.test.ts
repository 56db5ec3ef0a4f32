import { execFileSync } from 'node:child_process';
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounded, root } from './support/packaged-app.ts';

/** The installers themselves, where there are any: only a machine that can download the programs for them makes them. */
const folder = resolve(process.env['DAILIES_PACKAGED'] ?? 'nothing was made');
const made = existsSync(folder) ? readdirSync(folder) : [];
const installer = (ending: string): string | undefined => made.find((name) => name.endsWith(ending));
const [deb, rpm, appImage] = ['.deb', '.rpm', '.AppImage'].map(installer);

const { version, desktopName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
const looksForNewer = ['DAILIES_UPDATE_URL', 'GITHUB_REPOSITORY'].some((name) => process.env[name]);

const work = mkdtempSync(join(tmpdir(), 'dailies-made-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

const said = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    cwd: work,
    env: { ...process.env, DAILIES_NODE: process.execPath },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...bounded,
  });

/** What both kinds hold that can be opened without being installed. */
function expectApp(app: string, entry: string, exec: string): void {
  const text = readFileSync(entry, 'utf8');
  expect(text).toMatch(new RegExp(`^Exec=${exec} %U$`, 'm'));
  expect(text).not.toMatch(/^MimeType=/m);
  accessSync(join(app, 'dailies-desktop'), constants.X_OK);
  expect(existsSync(join(app, 'resources', 'app-update.yml'))).toBe(looksForNewer);
  expect(said(join(app, 'resources', 'bin', 'dailies'), '--version').trim()).toBe(version);
}

describe.skipIf(!deb)('the .deb that was made', () => {
  const place = join(work, 'deb');
  beforeAll(() => {
    said('dpkg-deb', '--extract', join(folder, deb ?? ''), place);
  });

  it('holds the app, the command and the permission for its sandbox', () => {
    const app = join(place, 'opt', 'Dailies');
    expectApp(app, join(place, 'usr/share/applications', desktopName ?? ''), '/opt/Dailies/dailies-desktop');
    accessSync(join(place, 'usr/bin/dailies'), constants.X_OK);
    expect(readFileSync(join(app, 'resources', 'apparmor-profile'), 'utf8')).toContain('userns,');
    // By this the app knows how to put a newer one in place.
    if (looksForNewer) expect(readFileSync(join(app, 'resources', 'package-type'), 'utf8')).toBe('deb');
  });
});

describe.skipIf(!rpm)('the .rpm that was made', () => {
  it('holds the app and the command, and nothing that other apps hold too', () => {
    const files = said('rpm', '-qlp', join(folder, rpm ?? '')).split('\n');
    for (const file of [
      '/opt/Dailies/dailies-desktop',
      '/usr/bin/dailies',
      `/usr/share/applications/${desktopName ?? ''}`,
    ])
      expect(files).toContain(file);
    expect(files.filter((file) => file.includes('.build-id'))).toEqual([]);
  });
});

describe.skipIf(!appImage)('the AppImage that was made', () => {
  it('starts the app in its sandbox, and updates as what it is', () => {
    const file = join(folder, appImage ?? '');
    // The old kind looks for the FUSE of the system by this name.
    expect(readFileSync(file).subarray(0, 1_000_000).includes('libfuse.so.2')).toBe(false);
    chmodSync(file, 0o755);
    said(file, '--appimage-extract');
    const app = join(work, 'squashfs-root');
    expectApp(app, join(app, desktopName ?? ''), 'AppRun');
    accessSync(join(app, 'AppRun'), constants.X_OK);
    expect(existsSync(join(app, 'resources', 'package-type'))).toBe(false);
  });
});
