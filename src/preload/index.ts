import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { BRIDGE_NAME, CONNECT_CHANNEL, PORT_CHANNEL, type DesktopBridge } from '../contract/bridge.ts';

const bridge: DesktopBridge<File> = { pathOfFile: (file) => webUtils.getPathForFile(file) };
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);

/** The page's scripts listen once they have run, and they have when its document is whole. */
const pageListens = new Promise<void>((resolve) => {
  window.addEventListener('DOMContentLoaded', () => resolve(), { once: true });
});

// The port itself cannot go over the context bridge; a message of the page's own origin can carry it.
ipcRenderer.on(PORT_CHANNEL, ({ ports }) => {
  void pageListens.then(() => window.postMessage(PORT_CHANNEL, location.origin, ports));
});
void pageListens.then(() => ipcRenderer.send(CONNECT_CHANNEL));
