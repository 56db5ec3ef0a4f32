import { generateAppRunScript } from 'app-builder-lib/out/targets/appimage/appImageUtil.js';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounded, canBePackaged, packagedApps, root } from './support/packaged-app.ts';
import { linuxInstallers, MAC_LANGUAGES, macApp, type LinuxInstallers } from './support/installers.ts';
import { registryAfter } from './support/nsis-registry.ts';

const work = mkdtempSync(join(tmpdir(), 'dailies-installers-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** The value of a key in a desktop entry. */
const valueOf = (entry: string, key: string): string | undefined => new RegExp(`^${key}=(.*)$`, 'm').exec(entry)?.[1];

describe.skipIf(process.platform !== 'linux')('the packages for Linux', () => {
  let made: LinuxInstallers;
  let entries: string[];
  beforeAll(async () => {
    made = await linuxInstallers(join(work, 'linux'), { GITHUB_REPOSITORY: 'someone/dailies' });
    entries = [made.appImage.desktopEntry, made.deb.desktopEntry, made.rpm.desktopEntry];
  });

  it('start the app inside its sandbox', () => {
    expect(entries.map((entry) => valueOf(entry, 'Exec'))).toEqual([
      'AppRun %U',
      '/opt/Dailies/dailies-desktop %U',
      '/opt/Dailies/dailies-desktop %U',
    ]);
  });

  it('have windows that belong to their entry in the menu', () => {
    const { desktopName } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { desktopName: string };
    expect(made.appImage.fileName).toBe(desktopName);
    for (const { args } of [made.deb, made.rpm])
      expect(args.at(-1)).toMatch(new RegExp(`=/usr/share/applications/${desktopName}$`));
    for (const entry of entries) {
      expect(`${valueOf(entry, 'StartupWMClass') ?? ''}.desktop`).toBe(desktopName);
      expect(valueOf(entry, 'Categories')).toBe('AudioVideo;');
    }
  });

  // Where a desktop names no program for a kind of file, the first by name is taken: ours comes before LibreOffice's
  // and before every file manager.
  it('take no kind of file, and no folder, from the program that opens it', () => {
    for (const entry of entries) expect(valueOf(entry, 'MimeType')).toBeUndefined();
  });

  it('have the command, and the permission for the sandbox where a system asks for one', () => {
    for (const { args, afterInstall } of [made.deb, made.rpm]) {
      expect(args).toContain('out/package/bin/dailies=/usr/bin/dailies');
      expect(afterInstall).toContain("APPARMOR_PROFILE_TARGET='/etc/apparmor.d/dailies-desktop'");
    }
    const profile = readFileSync(join(made.resources, 'apparmor-profile'), 'utf8');
    expect(profile).toMatch(
      /^profile "dailies-desktop" "\/opt\/Dailies\/dailies-desktop" flags=\(unconfined\) \{\n +userns,/m,
    );
  });

  // They name files by what is in Electron, and so are the same in every app with the same Electron.
  it('can be installed beside other apps with the same Electron', () => {
    expect(made.rpm.args.join(' ')).toContain('--rpm-rpmbuild-define _build_id_links none');
  });

  it('know where newer ones are', () => {
    const text = readFileSync(join(made.resources, 'app-update.yml'), 'utf8');
    for (const line of ['provider: github', 'owner: someone', 'repo: dailies']) expect(text).toContain(line);
  });
});

/** The app refuses to run so: it only has to see it. */
describe.skipIf(process.platform !== 'linux')('the launcher of the AppImage', () => {
  it.each([
    ['leaves the sandbox where there can be one', 'exit 0', ''],
    ['says that there is none where the system forbids it', 'exit 1', '--no-sandbox'],
  ])('%s', (_does, unshare, expected) => {
    const folder = mkdtempSync(join(work, 'AppDir-'));
    const program = (name: string, text: string): void => writeFileSync(join(folder, name), text, { mode: 0o755 });
    const names = { ProductFilename: 'Dailies', ProductName: 'Dailies', ResourceName: 'appimagekit-dailies-desktop' };
    const launcher = generateAppRunScript({
      ...names,
      ExecutableName: 'dailies-desktop',
      DesktopFileName: 'dailies-desktop.desktop',
    });
    program('AppRun', launcher);
    program('dailies-desktop', '#!/bin/sh\necho "$@"\n');
    program('unshare', `#!/bin/sh\n${unshare}\n`);
    const env = { PATH: process.env['PATH'], APPDIR: folder };
    expect(execFileSync(join(folder, 'AppRun'), { env, encoding: 'utf8', ...bounded }).trim()).toBe(expected);
  });
});

// Another system makes one over a stand-in; a Mac would sign that, and looks at the real one.
describe.skipIf(process.platform === 'win32' || !canBePackaged)('the app for macOS', () => {
  let app = '';
  let info = '';
  beforeAll(async () => {
    app = process.platform === 'darwin' ? packagedForMac() : await macApp(join(work, 'mac'));
    info = readFileSync(join(app, 'Info.plist'), 'utf8').replaceAll(/>\s+</g, '><');
  });

  const packagedForMac = (): string => join(packagedApps(work, {})[0]?.folder ?? '', 'Dailies.app', 'Contents');

  /** The kinds of things that may be given to the app, each as the text of its properties. */
  const kinds = (): string[] => {
    const list = /<key>CFBundleDocumentTypes<\/key><array>(.*?<\/dict>)<\/array>/.exec(info)?.[1] ?? '';
    return list.split('</dict>').filter((kind) => kind !== '');
  };

  it('may be given lists and folders, and becomes the program for neither', () => {
    const given = kinds();
    expect(given).toHaveLength(2);
    for (const kind of given) {
      expect(kind).toContain('<key>CFBundleTypeRole</key><string>Viewer</string>');
      expect(kind).toContain('<key>LSHandlerRank</key><string>Alternate</string>');
    }
    expect(given.join('')).toContain('<string>csv</string><string>tsv</string><string>xlsx</string>');
    expect(given.join('')).toContain('<key>LSItemContentTypes</key><array><string>public.folder</string></array>');
  });

  it('keeps the languages that it speaks, by the names they have there', () => {
    const framework = join(app, 'Frameworks', 'Electron Framework.framework');
    const languages = readdirSync(join(framework, MAC_LANGUAGES)).filter((name) => name.endsWith('.lproj'));
    expect(languages).toEqual(['en.lproj', 'zh_CN.lproj']);
  });
});

describe('the installer for Windows', () => {
  const script = readFileSync(join(root, 'resources/installer/windows.nsh'), 'utf8');
  const installed = registryAfter(script, 'customInstall', new Map());

  it('offers Dailies for lists and folders', () => {
    const verb = 'Software\\Classes\\Directory\\shell\\Dailies';
    expect(installed.get(`${verb}\\command`)).toBe('"$INSTDIR\\${APP_EXECUTABLE_FILENAME}" "%V"');
    for (const ending of ['.csv', '.tsv', '.xlsx'])
      expect(installed.has(`Software\\Classes\\${ending}\\OpenWithProgids : Dailies.ShotList`)).toBe(true);
  });

  it('takes no list and no folder from the program that opens it', () => {
    for (const key of installed.keys())
      expect(key).not.toMatch(/^Software\\Classes\\(\.\w+|Directory|Directory\\shell)$/);
  });

  const PATH = 'Environment : Path';
  const OURS = '$INSTDIR\\resources\\bin';

  it.each([
    [undefined, OURS],
    ['%USERPROFILE%\\bin;C:\\Tools', `%USERPROFILE%\\bin;C:\\Tools;${OURS}`],
    [OURS, OURS],
  ])('puts its command at the end of the PATH %s', (path, expected) => {
    const before = new Map(path === undefined ? [] : [[PATH, path]]);
    expect(registryAfter(script, 'customInstall', before).get(PATH)).toBe(expected);
  });

  it('leaves a PATH alone that it cannot hold whole', () => {
    for (const length of [1000, 1024, 3000]) {
      const path = 'C:\\tools;'.repeat(500).slice(0, length);
      const before = new Map([[PATH, path]]);
      expect(registryAfter(script, 'customInstall', before, { maxLength: 1024 }).get(PATH)).toBe(path);
    }
  });

  it('takes its command from the PATH when it is removed, and not for an update', () => {
    const path = `C:\\Tools;${OURS};C:\\more`;
    const before = new Map([[PATH, path]]);
    expect(registryAfter(script, 'customUnInstall', before).get(PATH)).toBe('C:\\Tools;C:\\more');
    expect(registryAfter(script, 'customUnInstall', before, { isUpdate: true }).get(PATH)).toBe(path);
  });

  it('leaves nothing of that behind when it is removed', () => {
    expect([...registryAfter(script, 'customUnInstall', installed)]).toEqual([]);
  });
});
