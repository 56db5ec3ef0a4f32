import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { electronBinary } from './electron-binary.ts';

/**
 * `npm run test:app`: the tests of the window in the real desktop app. `DAILIES_APP` names the folder of a packaged app to
 * test; otherwise this checkout's build runs under the Electron that was downloaded. Ends with a status of its own where
 * there is none: a test that did not run must not look like one that passed.
 */
const NOTHING_TESTED = 3;

const packaged = process.env['DAILIES_APP'];
if (packaged === undefined && electronBinary() === null) {
  process.stderr.write(
    'The desktop app was not tested: Electron is not on this machine. `npx install-electron` downloads it (about 120 MB\n' +
      'from GitHub); the same tests run in a browser with `npm run test:e2e`.\n',
  );
  process.exitCode = NOTHING_TESTED;
} else if (process.platform === 'linux' && process.getuid?.() === 0) {
  process.stderr.write(
    'The desktop app was not tested: its sandbox does not work for root. Run this as another user.\n',
  );
  process.exitCode = NOTHING_TESTED;
} else {
  const root = resolve(import.meta.dirname, '..');
  const playwright = resolve(root, 'node_modules/@playwright/test/cli.js');
  const { status } = spawnSync(process.execPath, [playwright, 'test', ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, DAILIES_TEST_HOST: 'desktop' },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
