import type { App } from 'electron';
import { say } from '../contract/messages/words.ts';

/** Set it to 1 to run without a sandbox and take the risk, for example in a container. */
const WITHOUT_SANDBOX = 'DAILIES_NO_SANDBOX';

/**
 * Whether the packaged app was started without Chromium's sandbox, and not on purpose: an AppImage does so where the
 * system forbids a sandbox. Call it before `enableSandbox`, which removes the switch but cannot add the sandbox.
 */
export function isWithoutSandbox(app: Pick<App, 'commandLine' | 'isPackaged'>, env: NodeJS.ProcessEnv): boolean {
  return app.isPackaged && app.commandLine.hasSwitch('no-sandbox') && env[WITHOUT_SANDBOX] !== '1';
}

/** The reason and the fix, for people. */
export const withoutSandbox = (): string => say('desktop.noSandbox', { variable: WITHOUT_SANDBOX });
