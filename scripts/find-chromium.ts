import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * A Chromium for the tests of the window: `CHROMIUM` in the environment, one that is installed, or, as root on Debian,
 * the distribution's own, installed now. Throws with what to do when there is none.
 */
export function findChromium(): string {
  const named = process.env['CHROMIUM'];
  if (named) return named;
  const installed = PLACES.find((place) => existsSync(place));
  if (installed) return installed;
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stderr.write('Installing Chromium from the distribution for the tests of the window…\n');
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'] });
    const quietly = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const packages = ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'];
    execFileSync('apt-get', packages, { stdio: ['ignore', 'ignore', 'inherit'], env: quietly });
    const now = PLACES.find((place) => existsSync(place));
    if (now) return now;
  }
  throw new Error('No Chromium was found for the tests of the window: install one, or name it in CHROMIUM.');
}
