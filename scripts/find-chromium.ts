import { chromium } from '@playwright/test';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where browsers that Playwright can drive are usually installed. */
function places(env: NodeJS.ProcessEnv): string[] {
  const programs = [env['PROGRAMFILES'], env['PROGRAMFILES(X86)'], env['LOCALAPPDATA']].filter(
    (folder) => folder !== undefined,
  );
  return [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    ...programs.map((folder) => join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')),
    ...programs.map((folder) => join(folder, 'Microsoft', 'Edge', 'Application', 'msedge.exe')),
    // Where `npx playwright install chromium` puts its own.
    chromium.executablePath(),
  ];
}

/**
 * A Chromium for the tests of the window: `CHROMIUM` in the environment, one that is installed, Playwright's own, or, as
 * root on Debian, the distribution's, installed now. Throws with what to do when there is none.
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['CHROMIUM'];
  if (named) return named;
  const found = () => places(env).find((place) => existsSync(place));
  const packages = ['chromium', 'fonts-dejavu-core'];
  const installed = found() ?? (installFromDistribution('Chromium', 'the window', packages) ? found() : undefined);
  if (installed) return installed;
  throw new Error(
    'No Chromium was found for the tests of the window: install one (`npx playwright install chromium` does), or name it in CHROMIUM.',
  );
}

/** Whether this is a machine where that can be done, and was. */
export function installFromDistribution(name: string, testsOf: string, packages: readonly string[]): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  process.stderr.write(`Installing ${name} from the distribution for the tests of ${testsOf}…\n`);
  execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  execFileSync('apt-get', install, { stdio: ['ignore', 'ignore', 'inherit'], env });
  return true;
}
