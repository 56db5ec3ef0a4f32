import type { App } from 'electron';

/** Set it to 1 to run without a sandbox and take the risk, for example in a container. */
const WITHOUT_SANDBOX = 'DAILIES_NO_SANDBOX';

/**
 * Whether the packaged app was started without Chromium's sandbox, and not on purpose: an AppImage does so where the
 * system forbids a sandbox. Call it before `enableSandbox`, which removes the switch but cannot add the sandbox.
 */
export function isWithoutSandbox(app: Pick<App, 'commandLine' | 'isPackaged'>, env: NodeJS.ProcessEnv): boolean {
  return app.isPackaged && app.commandLine.hasSwitch('no-sandbox') && env[WITHOUT_SANDBOX] !== '1';
}

/** What it means and how to fix it, for people. */
export const withoutSandbox = `Dailies shows media from others in a sandbox. This system does not allow programs in your own folders to make one, so Dailies did not start. Nothing was sent.

Ubuntu 24.04 and newer: install the .deb, which brings the permission. Or allow it until the next start of the machine, and open Dailies again:

sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0

If you started it with --no-sandbox, leave that out. To run without a sandbox on purpose, set ${WITHOUT_SANDBOX}=1 in the environment.`;
