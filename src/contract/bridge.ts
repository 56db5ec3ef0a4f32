/**
 * What crosses between the desktop app's page and its main process besides the procedures: the language of the system,
 * how the page gets its port, and how it begins a drag of files. Nothing else does.
 */

/** Sent by the preload script once its page listens, without content: give this page a port to the engine. */
export const CONNECT_CHANNEL = 'dailies:connect';

/** Brings one port to the engine: from main to the preload script, and on to the page as a message of this name. */
export const PORT_CHANNEL = 'dailies:port';

/** In the address of the app's page: the language that the system prefers, of ours, as main knows it. */
export const LANGUAGE_PARAMETER = 'language';

export const DRAG_CHANNEL = 'dailies:drag';

/** The name under which a page of the desktop app finds its `DesktopBridge`. Absent in a browser. */
export const BRIDGE_NAME = 'dailies';

export interface DesktopBridge<DroppedFile> {
  /** Absolute path of a file that was dropped or chosen; empty when it was made by a page. */
  pathOfFile(file: DroppedFile): string;
  /** Goes on with the files of a drag that is ready. To be called while the page handles `dragstart`. */
  startDrag(id: string): void;
  connect(): void;
}
