/**
 * Electron, where there is none: as much of it as the app uses, over what Node has of the same kind. Whatever else is
 * asked of it fails, so that nothing is thought to work which nobody has stood in for.
 */
export { BrowserWindow } from './browser-window.ts';
export { Menu, nativeImage, Notification, powerSaveBlocker, Tray } from './native.ts';
export { MessageChannelMain } from './ports.ts';
export {
  app,
  autoUpdater,
  crashReporter,
  dialog,
  ipcMain,
  nativeTheme,
  powerMonitor,
  protocol,
  session,
  shell,
  state,
  utilityProcess,
} from './state.ts';
