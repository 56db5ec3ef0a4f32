import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { BRIDGE_NAME, CONNECT_CHANNEL, DRAG_CHANNEL, PORT_CHANNEL, type DesktopBridge } from '../contract/bridge.ts';

const { promise: pageListens, resolve: connect } = Promise.withResolvers<unknown>();
const bridge: DesktopBridge<File> = {
  pathOfFile: (file) => webUtils.getPathForFile(file),
  startDrag: (id) => ipcRenderer.send(DRAG_CHANNEL, id),
  connect: () => connect(null),
};
contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);

// The port itself cannot go over the context bridge; a message of the page's own origin can carry it.
ipcRenderer.on(PORT_CHANNEL, ({ ports }) => {
  void pageListens.then(() => window.postMessage(PORT_CHANNEL, location.origin, ports));
});
void pageListens.then(() => ipcRenderer.send(CONNECT_CHANNEL));
