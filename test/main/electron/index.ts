/**
 * A stand-in for Electron: as much of it as the app uses, built on what Node has. Any other call fails, so that no test
 * passes on a part that nobody wrote.
 */
export { BrowserWindow } from './browser-window.ts';
export { Menu, nativeImage, Notification, powerSaveBlocker, Tray } from './native.ts';
export { MessageChannelMain } from './ports.ts';
export {
  app,
  autoUpdater,
  clipboard,
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
