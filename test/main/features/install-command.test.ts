import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  canInstallCommand,
  installCommand,
  type InstallCommandParts,
} from '../../../src/main/features/install-command.ts';

describe.skipIf(process.platform === 'win32')('the command of the installed app', () => {
  let folder: string;
  let home: string;
  let resources: string;
  let shown: { readonly type: string; readonly message: string; readonly detail: string }[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-command-'));
    home = join(folder, 'home');
    shown = [];
    resources = launcherIn(join(folder, 'Dailies.app', 'Contents', 'Resources'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function launcherIn(place: string): string {
    mkdirSync(join(place, 'bin'), { recursive: true });
    writeFileSync(join(place, 'bin', 'dailies'), '#!/bin/sh\necho "of $0"\n', { mode: 0o755 });
    return place;
  }

  const partsFor = (change: Partial<InstallCommandParts> = {}): InstallCommandParts => ({
    app: { isPackaged: true },
    dialog: {
      showMessageBox: (options: unknown) => {
        shown.push(options as (typeof shown)[number]);
        return Promise.resolve({ response: 0, checkboxChecked: false });
      },
    },
    platform: 'darwin',
    env: {},
    homeFolder: home,
    resources,
    commonFolders: [join(folder, 'missing'), join(folder, 'common')],
    ...change,
  });
  const common = () => join(folder, 'common', 'dailies');
  const own = () => join(home, '.local', 'bin', 'dailies');

  it('is linked where every terminal of a Mac looks, and says how to undo that', async () => {
    mkdirSync(dirname(common()));
    await installCommand(partsFor());
    expect(execFileSync(common(), { encoding: 'utf8' })).toBe(`of ${common()}\n`);
    expect(shown).toMatchObject([{ type: 'info', message: 'The dailies command is installed' }]);
    expect(shown[0]?.detail).toContain(`It is at ${common()}.`);
    expect(shown[0]?.detail).toContain('delete that file');
    expect(shown[0]?.detail).not.toContain('export PATH');
  });

  it('is linked in the home folder where no other may be written, with the line for the PATH', async () => {
    await installCommand(partsFor());
    expect(readlinkSync(own())).toBe(join(resources, 'bin', 'dailies'));
    expect(shown[0]?.detail).toContain('~/.zprofile');
    expect(shown[0]?.detail).toContain('export PATH="$HOME/.local/bin:$PATH"');
  });

  it('needs no line where Linux has that folder on the PATH', async () => {
    await installCommand(partsFor({ platform: 'linux', env: { PATH: `/usr/bin:${dirname(own())}` } }));
    expect(lstatSync(own()).isSymbolicLink()).toBe(true);
    expect(shown[0]?.detail).not.toContain('export PATH');
  });

  it('is linked again when the app has moved', async () => {
    await installCommand(partsFor());
    rmSync(join(folder, 'Dailies.app'), { recursive: true });
    const moved = launcherIn(join(folder, 'elsewhere', 'resources'));
    await installCommand(partsFor({ resources: moved }));
    expect(readlinkSync(own())).toBe(join(moved, 'bin', 'dailies'));
    expect(shown.map(({ type }) => type)).toEqual(['info', 'info']);
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'of another')],
    ['a link to another program', (path: string) => symlinkSync('/opt/other/dailies', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('leaves %s of that name alone and says so', async (_what, make) => {
    mkdirSync(dirname(own()), { recursive: true });
    make(own());
    const before = lstatSync(own()).ino;
    await installCommand(partsFor());
    expect(lstatSync(own()).ino).toBe(before);
    expect(shown).toMatchObject([
      { type: 'error', detail: `${own()} exists and is not from Dailies. Move it away, then try again.` },
    ]);
  });

  it('says why a folder that is a file cannot be used', async () => {
    mkdirSync(home);
    writeFileSync(join(home, '.local'), '');
    await installCommand(partsFor());
    expect(shown).toMatchObject([{ type: 'error', message: 'The dailies command was not installed' }]);
    expect(readFileSync(join(home, '.local'), 'utf8')).toBe('');
  });

  it.each([
    '/Volumes/Dailies 1.0/Dailies.app/Contents/Resources',
    '/private/var/folders/x/T/AppTranslocation/ABC/d/Dailies.app/Contents/Resources',
  ])('is not linked to %s, which goes away', async (place) => {
    await installCommand(partsFor({ resources: place }));
    expect(shown).toMatchObject([
      { type: 'error', detail: expect.stringContaining('Drag it to Applications') as string },
    ]);
  });

  it.each([
    { offered: true, change: {} },
    // A machine with the package has the command already.
    { offered: !existsSync('/usr/bin/dailies'), change: { platform: 'linux' as const } },
    { offered: false, change: { platform: 'win32' as const } },
    { offered: false, change: { app: { isPackaged: false } } },
    { offered: false, change: { platform: 'linux' as const, env: { APPIMAGE: '/home/anna/Dailies.AppImage' } } },
    { offered: false, change: { resources: '/nowhere' } },
  ])('is offered: $offered for $change', ({ offered, change }) => {
    expect(canInstallCommand(partsFor(change))).toBe(offered);
  });
});
