import { extractAll, extractFile, getRawHeader, listPackage } from '@electron/asar';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { shippedPackages } from '../../scripts/licences.ts';
import { noGlib, runBesideGlib, systemGlib } from '../support/beside-glib.ts';
import { bounded, canBePackaged, packagedApps, root, type PackagedApp } from './support/packaged-app.ts';

const work = mkdtempSync(join(tmpdir(), 'dailies-package-'));
const CANARY = 'a-secret-of-the-machine-that-packages';

/** As NODE_OPTIONS wants it, where a backslash takes the meaning from what follows. */
const quoted = (option: string): string => `"${option.replaceAll('\\', '\\\\')}"`;

/** Paths of the files in a folder, with `/` whatever the system. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    );

describe.skipIf(!canBePackaged)('the packaged app', () => {
  let apps: PackagedApp[] = [];
  beforeAll(() => {
    apps = packagedApps(work, { DAILIES_API_KEY: CANARY, CSC_KEY_PASSWORD: CANARY });
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  const archiveOf = ({ resources }: PackagedApp): string => join(resources, 'app.asar');
  const archived = (app: PackagedApp): string[] =>
    listPackage(archiveOf(app), { isPack: false }).map((path) => path.replaceAll('\\', '/').slice(1));
  const besides = ({ resources }: PackagedApp): string => join(resources, 'app.asar.unpacked');

  const nativesIn = (app: PackagedApp): string[] =>
    filesIn(besides(app)).filter((path) => /\.(node|so[.\d]*|dylib|dll)$/.test(path));

  it('is there', () => {
    expect(apps.length).toBeGreaterThan(0);
  });

  it('holds the build, the sample project and nothing else of ours', () => {
    for (const app of apps) {
      const files = archived(app);
      const expected =
        /^(out(\/(main|preload|renderer)(\/.*)?)?|node_modules(\/.*)?|resources(\/(samples|demo|icons)(\/.*)?)?|package\.json)$/;
      expect(files.filter((path) => !expected.test(path))).toEqual([]);
      for (const needed of [
        'out/main/index.js',
        'out/main/engine.js',
        'out/main/facts-reader.js',
        'out/main/workbook-reader.js',
        'out/main/hash-thread.js',
        'out/preload/index.cjs',
        'out/renderer/index.html',
      ])
        expect(files).toContain(needed);
      expect(readdirSync(app.resources).filter((name) => /^(app|default_app)(\.asar)?$/.test(name))).toEqual([
        'app.asar',
      ]);
    }
  });

  it('holds no sources, no maps, no documentation and no tests', () => {
    for (const app of apps) {
      const files = [...archived(app), ...filesIn(besides(app))];
      expect(files.filter((path) => /\.(m?ts|cts|svelte|map|md|c|cc|cpp|h|gyp)$/.test(path))).toEqual([]);
      expect(files.filter((path) => /(^|\/)(src|test|tests|docs|deps|\.github)\//.test(path))).toEqual([]);
      const manifest = JSON.parse(extractFile(archiveOf(app), 'package.json').toString()) as Record<string, unknown>;
      expect(manifest).not.toHaveProperty('scripts');
      expect(manifest).not.toHaveProperty('devDependencies');
    }
  });

  it('has the natives of its own system and processor outside the archive, and no others', () => {
    for (const app of apps) {
      const natives = nativesIn(app);
      const own = `${process.platform}-${app.arch}`;
      expect(natives.filter((path) => !path.includes(own))).toEqual([]);
      const pictures = process.platform === 'linux' ? 'cli/node_modules/@img/sharp-' : 'node_modules/@img/sharp-';
      for (const name of ['node_modules/better-sqlite3/prebuilds', 'node_modules/@napi-rs/keyring-', pictures])
        expect(
          natives.some((path) => path.startsWith(name)),
          name,
        ).toBe(true);
      expect(archived(app).filter((path) => path.endsWith('.node') && !natives.includes(path))).toEqual([]);
    }
  });

  it('makes pictures without a native library on Linux, where the command has one of its own', ({ skip }) => {
    skip(process.platform !== 'linux', 'this is of Linux alone');
    for (const app of apps) {
      expect(nativesIn(app).filter((path) => path.startsWith('node_modules/@img'))).toEqual([]);
      const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
        packages: Record<string, { version: string }>;
      };
      for (const name of ['node_modules/@img/sharp-wasm32', 'node_modules/@emnapi/runtime'])
        expect(JSON.parse(readFileSync(join(besides(app), name, 'package.json'), 'utf8'))).toMatchObject({
          version: lock.packages[name]?.version,
        });
      expect(filesIn(join(besides(app), 'cli')).filter((path) => path.includes('wasm32'))).toEqual([]);
    }
    skip(systemGlib === null, noGlib);
    const app = apps.find(({ arch }) => arch === process.arch) ?? apps[0];
    if (!app) throw new Error('There is no packaged app.');
    // Away from the checkout, whose own libraries would be found above it.
    cpSync(join(besides(app), 'node_modules'), join(work, 'pictures', 'node_modules'), { recursive: true });
    const { said, complaints } = runBesideGlib(`
      const { default: sharp } = await import(${JSON.stringify(join(work, 'pictures/node_modules/sharp/dist/index.mjs'))});
      const picture = sharp({ create: { width: 480, height: 270, channels: 3, background: '#2266aa' } });
      const { info } = await sharp(await picture.png().toBuffer())
        .resize({ width: 320 })
        .webp()
        .toBuffer({ resolveWithObject: true });
      console.log(JSON.stringify({ isPortable: 'emscripten' in sharp.versions, info }));
    `);
    expect(said).toMatchObject({ isPortable: true, info: { format: 'webp', width: 320, height: 180 } });
    expect(complaints).toEqual([]);
  });

  it('keeps the code of the app where its integrity is checked', () => {
    interface Entry {
      readonly files?: Readonly<Record<string, Entry>>;
      readonly unpacked?: boolean;
      readonly integrity?: { readonly algorithm: string };
    }
    const check = (entry: Entry, path: string): void => {
      for (const [name, child] of Object.entries(entry.files ?? {})) check(child, `${path}/${name}`);
      if (entry.files) return;
      const isOutside = /^\/(node_modules|resources\/(samples|demo))\//.test(path);
      expect(entry.unpacked === true, path).toBe(isOutside);
      if (!isOutside) expect(entry.integrity?.algorithm, path).toBe('SHA256');
    };
    for (const app of apps) check(getRawHeader(archiveOf(app)).header as Entry, '');
  });

  it('has its fuses set', async () => {
    const wanted: Partial<Record<keyof typeof FuseV1Options, FuseState>> = {
      RunAsNode: FuseState.DISABLE,
      EnableCookieEncryption: FuseState.DISABLE,
      EnableNodeOptionsEnvironmentVariable: FuseState.DISABLE,
      EnableNodeCliInspectArguments: FuseState.DISABLE,
      EnableEmbeddedAsarIntegrityValidation: FuseState.ENABLE,
      OnlyLoadAppFromAsar: FuseState.ENABLE,
      LoadBrowserProcessSpecificV8Snapshot: FuseState.DISABLE,
      GrantFileProtocolExtraPrivileges: FuseState.DISABLE,
    };
    const binary = { darwin: 'Dailies.app', win32: 'Dailies.exe' }[process.platform as string] ?? 'dailies-desktop';
    for (const app of apps) {
      const fuses = await getCurrentFuseWire(join(app.folder, binary));
      for (const [name, state] of Object.entries(wanted))
        expect(fuses[FuseV1Options[name as keyof typeof FuseV1Options]], name).toBe(state);
    }
  });

  it('holds no secret, and no path, of the machine it was made on', () => {
    const telling = [CANARY, root, homedir()].filter((text) => text.length > 6);
    for (const app of apps) {
      const bytes = [archiveOf(app), ...filesIn(besides(app)).map((file) => join(besides(app), file))].map((path) =>
        readFileSync(path),
      );
      for (const text of telling)
        expect(
          bytes.some((content) => content.includes(text)),
          text,
        ).toBe(false);
    }
  });

  it('comes with the licence of every package in it', () => {
    for (const { resources } of apps) {
      const text = readFileSync(join(resources, 'licences.txt'), 'utf8');
      for (const { name, version } of shippedPackages()) expect(text).toContain(`${name} ${version}`);
      expect(text).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
    }
  });

  it('has the words of Chromium in the languages of the window', () => {
    for (const { folder } of apps) {
      const locales = join(folder, 'locales');
      if (existsSync(locales)) expect(readdirSync(locales)).toEqual(['en-US.pak', 'zh-CN.pak']);
    }
  });

  it('boots from the files of its archive, over a stand-in for Electron', () => {
    const app = apps.find(({ arch }) => arch === process.arch) ?? apps[0];
    if (!app) throw new Error('There is no packaged app.');
    const folder = join(work, 'boot');
    mkdirSync(folder);
    extractAll(archiveOf(app), join(folder, 'app'));
    const standIn = pathToFileURL(join(root, 'test/main/electron/register.ts')).href;
    const drive = join(root, 'test/main/boot/drive.ts');
    const said = execFileSync(process.execPath, ['--import', standIn, drive, join(folder, 'app', 'out'), folder], {
      cwd: folder,
      encoding: 'utf8',
      ...bounded,
    });
    const seen = JSON.parse(said.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    expect(seen).toMatchObject({ exitStatus: 0, part: { status: 206 }, errors: [], behindSince: null });
  });

  describe('has a command that', () => {
    const place = join(work, 'installed elsewhere');
    const isWindows = process.platform === 'win32';
    const launcher = join(place, 'bin', isWindows ? 'dailies.exe' : 'dailies');

    beforeAll(() => {
      const app = apps.find(({ arch }) => arch === process.arch) ?? apps[0];
      if (!app) throw new Error('There is no packaged app.');
      cpSync(besides(app), join(place, 'app.asar.unpacked'), { recursive: true });
      cpSync(join(app.resources, 'bin'), join(place, 'bin'), { recursive: true });
      mkdirSync(join(work, 'home'));
    });

    /** Its Node.js may read nothing but the copy and the folder it works in: nothing of the checkout helps it. */
    const confined = () => ({
      ...process.env,
      HOME: join(work, 'home'),
      DAILIES_NODE: process.execPath,
      NODE_OPTIONS: [
        '--permission',
        '--allow-addons',
        '--allow-worker',
        '--allow-child-process',
        ...[place, join(work, 'home')].map((folder) => quoted(`--allow-fs-read=${folder}`)),
        quoted(`--allow-fs-write=${join(work, 'home')}`),
      ].join(' '),
    });

    it.runIf(isWindows)('runs no node.exe of the folder it is started in', () => {
      const folder = join(work, 'planted');
      mkdirSync(folder);
      cpSync(join(process.env['SystemRoot'] ?? '', 'System32', 'whoami.exe'), join(folder, 'node.exe'));
      const env = { ...process.env, DAILIES_NODE: undefined };
      const said = spawnSync(launcher, ['--version'], { cwd: folder, env, encoding: 'utf8', ...bounded });
      expect(said.stdout).toMatch(/^\d+\.\d+/);
    });

    it('completes the demo with a Node.js of the machine', () => {
      const said = execFileSync(launcher, ['demo', '--shots', '6', '--json', '--out', join(work, 'home', 'film')], {
        cwd: join(work, 'home'),
        env: confined(),
        encoding: 'utf8',
        ...bounded,
      });
      const summary = said.trim().split('\n').at(-1) ?? '';
      expect(JSON.parse(summary)).toMatchObject({ type: 'summary', failed: 0, unknown: 0, unfinished: 0 });
      expect(readdirSync(join(work, 'home', 'film', 'sample')).length).toBeGreaterThan(6);
    });

    it('reads a workbook, in a process of its own', async () => {
      const list = join(work, 'home', 'shots.xlsx');
      await writeWorkbook([
        ['kind', 'model', 'prompt'],
        ['image', 'image-demo', 'A lighthouse'],
      ]).toFile(list);
      const said = execFileSync(
        launcher,
        ['run', list, '--dry-run', '--offline', '--project', join(work, 'home', 'lists')],
        { cwd: join(work, 'home'), env: confined(), encoding: 'utf8', ...bounded },
      );
      expect(said).toContain('"prompt":"A lighthouse"');
    });

    it.skipIf(isWindows)('is found through links to its launcher', () => {
      const links = join(work, 'links');
      mkdirSync(links);
      symlinkSync(launcher, join(links, 'first'));
      symlinkSync('first', join(links, 'dailies'));
      const said = execFileSync(join(links, 'dailies'), ['--version'], {
        env: confined(),
        encoding: 'utf8',
        ...bounded,
      });
      expect(said).toMatch(/^\d+\.\d+\.\d+/);
    });

    it('says what to do where there is no Node.js', () => {
      const missing = join(work, 'no-node');
      const env = { ...process.env, DAILIES_NODE: missing };
      const { status, stderr } = spawnSync(launcher, ['--version'], { env, encoding: 'utf8', ...bounded });
      expect(status).toBe(2);
      expect(stderr).toContain('The dailies command needs Node.js 22.19 or newer');
      expect(stderr).toContain('DAILIES_NODE');
    });
  });
});
