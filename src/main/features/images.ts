import { nativeImage, type NativeImage } from 'electron';
import { join } from 'node:path';
import type { DesktopAbilities } from '../../contract/desktop.ts';

/** An amber dot of 16 x 16 pixels, as a PNG. */
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQBAMAAADt3eJSAAAAMFBMVEVMaXHnoT3nojzZkUjnojznoj3soDjUqirooj3ooj' +
  'znoz3oozznojzmozznoj3ooz13RhzFAAAAD3RSTlMAz/MHx2wbBsjJ0PRubfHawurWAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAT0lEQVQImWNgwAJsun' +
  'dcBtFs6////5jAwMBg9f/////CDAwM50GMrwwMDPNBjC8MDAz6IMYnGOMfstR9mGJDEEMcZKA81ECGUieVcGxWAwAIajR+z5lPMwAAAABJRU5ErkJggg==';

/** What lies over the app's icon in the taskbar of Windows, where there is no number. */
export const dot = (): NativeImage => nativeImage.createFromDataURL(DOT);

/** The icon among the system's. A Mac colours it as its menu bar is. */
export function statusImage(packageFolder: string, system: DesktopAbilities['system']): NativeImage {
  const name = system === 'macos' ? 'trayTemplate.png' : 'tray.png';
  return nativeImage.createFromPath(join(packageFolder, 'resources', 'icons', 'tray', name));
}
