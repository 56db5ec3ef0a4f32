import type { App } from 'electron';

/** Set to 1 by whoever has no sandbox here and takes the risk, as in a container. */
const WITHOUT_SANDBOX = 'DAILIES_NO_SANDBOX';

/**
 * Whether the packaged app was started without Chromium's sandbox, and nobody has said that this is meant: an AppImage
 * starts so by itself where the system forbids one. To be asked before `enableSandbox`, which takes the switch away and
 * cannot bring back what was left out before.
 */
export function isWithoutSandbox(app: Pick<App, 'commandLine' | 'isPackaged'>, env: NodeJS.ProcessEnv): boolean {
  return app.isPackaged && app.commandLine.hasSwitch('no-sandbox') && env[WITHOUT_SANDBOX] !== '1';
}

/** What it means and how it is put right, for people. */
export const withoutSandbox = `Dailies shows media of others, and does so in a sandbox. This system does not let programs in your own folders make one, so Dailies would run without; it does not do that by itself. Nothing was sent.

Ubuntu 24.04 and newer: install the .deb, which brings the permission. Or allow it until the next start of the machine, and open Dailies again:

sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0

If you have started it with --no-sandbox yourself, leave that out. ${WITHOUT_SANDBOX}=1 in the environment says that you mean it.`;
