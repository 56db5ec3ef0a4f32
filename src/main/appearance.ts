import type { NativeTheme } from 'electron';
import { messageOf } from '../engine/base/errors.ts';
import { readSettings } from '../host/settings-file.ts';
import type { Desktop } from './desktop.ts';

/** The grounds of the page, which are seen before the page is. */
const GROUND = { dark: '#141414', light: '#ebebeb' } as const;

/** Gives the window's frame, menus and dialogs the page's theme, if it is known at the start. */
export function beginWithAppearance(theme: NativeTheme, dataFolder: string): void {
  try {
    theme.themeSource = readSettings(dataFolder).appearance;
  } catch {
    // The engine reports settings that cannot be read.
    theme.themeSource = 'dark';
  }
}

/** Goes with the settings when they change. */
export function followAppearance(
  theme: NativeTheme,
  { client, listen, logger }: Pick<Desktop, 'client' | 'listen' | 'logger'>,
): void {
  const follow = async (): Promise<void> => {
    const { settings } = await client.settings.get();
    theme.themeSource = settings.appearance;
  };
  listen(({ resync, settings }) => {
    if (!resync && !settings) return;
    follow().catch((error: unknown) => logger.warn('The appearance is not known', { reason: messageOf(error) }));
  });
}

export const groundOf = ({ shouldUseDarkColors }: NativeTheme): string =>
  GROUND[shouldUseDarkColors ? 'dark' : 'light'];
