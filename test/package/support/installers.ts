import { build } from 'electron-builder';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { configurationFor } from '../../../scripts/package.ts';
import { FUSES, root } from './packaged-app.ts';

/** A `.deb` or `.rpm` as the program that makes it is told: what it is given, and the files that are only made then. */
interface InstallerFacts {
  readonly args: readonly string[];
  readonly desktopEntry: string;
  readonly afterInstall: string;
}

export interface LinuxInstallers {
  readonly appImage: { readonly desktopEntry: string; readonly fileName: string };
  readonly deb: InstallerFacts;
  readonly rpm: InstallerFacts;
  /** Laid into the app's folder of resources for them. */
  readonly resources: string;
}

type Options = NonNullable<Parameters<typeof build>[0]>;

/**
 * What electron-builder makes of our configuration for the three kinds of package, up to where it would need programs
 * from elsewhere to write them.
 */
export async function linuxInstallers(output: string, env: Record<string, string>): Promise<LinuxInstallers> {
  const app = join(output, 'app');
  mkdirSync(join(app, 'resources'), { recursive: true });
  const seen: unknown[] = [];
  await quietly({
    config: configurationFor({ ...env, DAILIES_PACKAGE_OUTPUT: output }),
    prepackaged: app,
    linux: ['AppImage', 'deb', 'rpm'],
    x64: true,
    effectiveOptionComputed: (options: unknown) => {
      seen.push(Array.isArray(options) ? told(options as [string[], string]) : options);
      return Promise.resolve(true);
    },
  });
  const [appImage, deb, rpm] = seen as [{ desktop: string; desktopFileName: string }, InstallerFacts, InstallerFacts];
  return {
    appImage: { desktopEntry: appImage.desktop, fileName: appImage.desktopFileName },
    deb,
    rpm,
    resources: join(app, 'resources'),
  };
}

/** Read at once: the files are gone when the build is over. */
function told([args, entry]: [string[], string]): InstallerFacts {
  return {
    args,
    desktopEntry: readFileSync(entry, 'utf8'),
    afterInstall: readFileSync(args[args.indexOf('--after-install') + 1] ?? '', 'utf8'),
  };
}

/** The app for macOS, made on any system over a stand-in for Electron, without most of its contents. Returns its folder. */
export async function macApp(output: string): Promise<string> {
  const config = configurationFor({ DAILIES_PACKAGE_OUTPUT: output });
  const runtime = standInForMac(join(output, 'runtime'));
  await quietly({
    config: { ...config, electronDist: runtime, files: ['!node_modules/**', '!out/renderer/**', '!resources/**'] },
    mac: [],
    dir: true,
    x64: true,
  });
  return join(output, 'mac', 'Dailies.app', 'Contents');
}

/** Where the languages of Electron for macOS lie in its framework. */
export const MAC_LANGUAGES = join('Versions', 'A', 'Resources');

/** As little of Electron for macOS as electron-builder asks for. */
function standInForMac(folder: string): string {
  const bundle = (contents: string, name: string): void => {
    mkdirSync(join(contents, 'MacOS'), { recursive: true });
    writeFileSync(join(contents, 'MacOS', name), '');
    const facts = `<dict><key>CFBundleExecutable</key><string>${name}</string></dict>`;
    writeFileSync(join(contents, 'Info.plist'), `<?xml version="1.0"?><plist version="1.0">${facts}</plist>`);
  };
  const contents = join(folder, 'Electron.app', 'Contents');
  const framework = join(contents, 'Frameworks', 'Electron Framework.framework');
  bundle(contents, 'Electron');
  bundle(join(contents, 'Frameworks', 'Electron Helper.app', 'Contents'), 'Electron Helper');
  mkdirSync(join(contents, 'Resources'));
  for (const language of ['de', 'en', 'en_GB', 'zh_CN', 'zh_TW']) {
    const place = join(framework, MAC_LANGUAGES, `${language}.lproj`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'locale.pak'), '');
  }
  writeFileSync(join(framework, 'Electron Framework'), FUSES);
  return folder;
}

/** It writes down what it does. */
async function quietly(options: Options & { effectiveOptionComputed?: (options: unknown) => Promise<boolean> }) {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await build({ projectDir: root, publish: 'never', ...options });
  } finally {
    written.mockRestore();
  }
}
