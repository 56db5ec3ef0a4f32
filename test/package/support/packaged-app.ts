import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { appsIn } from '../../../scripts/package-report.ts';
import { isNightly } from '../../support/chance.ts';

export const root = resolve(import.meta.dirname, '../../..');

/** A program that is waited for in one call stops the whole suite when it hangs, and no time limit of a test ends it. */
export const bounded = { timeout: 240_000, killSignal: 'SIGKILL' } as const;

/** Marks Electron's binary as one with fuses: found by @electron/fuses, followed by version, length and the fuses. */
export const FUSES = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('100110010'),
]);

export interface PackagedApp {
  /** Its own folder. */
  readonly folder: string;
  readonly resources: string;
  readonly arch: 'x64' | 'arm64';
}

/** Whether there is anything to inspect: a package that was made before, or, at night, one that can be made without Electron. */
export const canBePackaged =
  process.env['DAILIES_PACKAGED'] !== undefined || (isNightly && process.platform === 'linux');

/**
 * The packages in the folder that `DAILIES_PACKAGED` names, else one made now in `output`, over a stand-in for Electron's
 * runtime: what goes into a package does not depend on it. `env` is set while it is made.
 */
export function packagedApps(output: string, env: Record<string, string>): PackagedApp[] {
  const made = process.env['DAILIES_PACKAGED'];
  if (made === undefined) {
    execFileSync(process.execPath, [join(root, 'scripts/package.ts'), '--dir'], {
      cwd: root,
      env: {
        ...process.env,
        ...env,
        DAILIES_ELECTRON_DIST: standInRuntime(join(output, 'runtime')),
        DAILIES_PACKAGE_OUTPUT: join(output, 'dist'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...bounded,
    });
  }
  return appsIn(made ?? join(output, 'dist')).map(({ name, folder, resources }) => ({
    folder,
    resources,
    arch: name.includes('arm64') ? 'arm64' : 'x64',
  }));
}

/** As little of Electron for Linux as electron-builder asks for. */
function standInRuntime(folder: string): string {
  mkdirSync(join(folder, 'locales'), { recursive: true });
  mkdirSync(join(folder, 'resources'));
  writeFileSync(join(folder, 'electron'), FUSES, { mode: 0o755 });
  for (const language of ['de', 'en-US', 'fr', 'zh-CN']) writeFileSync(join(folder, 'locales', `${language}.pak`), '');
  for (const file of ['LICENSE', 'LICENSES.chromium.html', 'chrome-sandbox']) writeFileSync(join(folder, file), '');
  return folder;
}
