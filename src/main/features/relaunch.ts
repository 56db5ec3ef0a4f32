import type { Dialog, RelaunchOptions } from 'electron';
import type { DesktopAbilities } from '../../contract/desktop.ts';
import { say, type MessageKey } from '../../contract/messages/words.ts';

type System = DesktopAbilities['system'];

/** Tells the next start which version could not be installed. */
const SWITCH = '--update-failed=';

/**
 * How the app restarts after an update that could not be installed, to say so: with the arguments of its start, without
 * the files that were opened with it. The program of an AppImage ends with the app, so the file itself is started. Pure.
 */
export function relaunchOptions(
  { argv, execPath, env }: Pick<NodeJS.Process, 'argv' | 'execPath' | 'env'>,
  without: string,
): RelaunchOptions {
  const switches = argv.slice(1).filter((arg) => arg.startsWith('--') && !arg.startsWith(SWITCH));
  return { execPath: env['APPIMAGE'] ?? execPath, args: [...switches, `${SWITCH}${without}`] };
}

/** The version that the start before could not put in place; null for every other start. Pure. */
export function failedUpdateOf(argv: readonly string[]): string | null {
  const version = argv.find((arg) => arg.startsWith(SWITCH))?.slice(SWITCH.length) ?? '';
  return /^\d+\.\d+\.\d+[\w.+-]{0,40}$/.test(version) ? version : null;
}

const hints = {
  macos: 'desktop.updateHintMac',
  windows: 'desktop.updateHintWindows',
  linux: 'desktop.updateHintLinux',
} as const satisfies Readonly<Record<System, MessageKey>>;

/** Reports an update that the last start could not install. */
export async function reportFailedUpdate(
  dialog: Pick<Dialog, 'showMessageBox'>,
  { argv, version, system }: { argv: readonly string[]; version: string; system: System },
): Promise<void> {
  const failed = failedUpdateOf(argv);
  if (failed === null) return;
  await dialog.showMessageBox({
    type: 'warning',
    message: say('desktop.updateFailed', { version: failed }),
    detail: say('desktop.updateFailedDetail', { version, hint: say(hints[system]) }),
    buttons: [say('common.ok')],
  });
}
