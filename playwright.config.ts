import { defineConfig, type LaunchOptions } from '@playwright/test';
import { isDesktop } from './scripts/electron-binary.ts';
import { findChromium } from './scripts/find-chromium.ts';

/** Chromium takes the last list of these alone, so what matters to us of Playwright's own list is repeated here. */
const DISABLED_FEATURES = [
  // Pages of its own that Chromium opens for the address line of every window: a tenth of the work of a short test.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // A process kept ready for the next page, which a test does not have.
  'SpareRendererForSitePerProcess',
  // Calls to others as it starts.
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  // What shows a page late, or another page than was asked for.
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
];

/**
 * At night, and by `npm run test:all` (`CRASH_ALL=1 npx playwright test -g zoomed` runs one of them), tests with `@night` in
 * their names run too: what they hold is tested below the window as well, or is about its comfort.
 */
const isNightly = process.env['CRASH_ALL'] === '1' || isDesktop;

/**
 * The window, driven as a person would, on the real server, the real engine and the demo service; or the desktop app, by
 * `npm run test:app`.
 */
export default defineConfig({
  testDir: 'test/e2e',
  testMatch: '*.spec.ts',
  ...(!isNightly && { grepInvert: /@night/ }),
  outputDir: 'node_modules/.cache/e2e',
  // The app's windows share the clipboard and the focus of one screen. Specs wait for the demo service half of their time.
  workers: isDesktop ? 1 : 3,
  fullyParallel: true,
  forbidOnly: true,
  // A spec that needs a second try asks for it in its own file, and says why.
  retries: 0,
  // What a test waits for comes in a second or two. On a busy machine it may take many times as long, which is no defect.
  timeout: 240_000,
  expect: { timeout: 45_000 },
  reporter: [['list']],
  use: {
    actionTimeout: 45_000,
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
    // What is looked at is not on its way: a message that fades has the contrast of none.
    contextOptions: { reducedMotion: 'reduce' },
    ...(!isDesktop && { launchOptions: chromium() }),
    screenshot: 'only-on-failure',
  },
});

function chromium(): LaunchOptions {
  return {
    executablePath: findChromium(),
    // Root needs no-sandbox; the others keep the browser from talking to anybody but us.
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
      `--disable-features=${DISABLED_FEATURES.join(',')}`,
    ],
  };
}
