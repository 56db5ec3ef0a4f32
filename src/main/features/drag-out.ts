import { randomUUID } from 'node:crypto';
import type { App, IpcMain, NativeImage } from 'electron';
import { DRAG_CHANNEL } from '../../contract/bridge.ts';
import type { DesktopWindow } from '../desktop.ts';
import { isOfOurPage } from '../lockdown.ts';

export interface DragOutParts {
  readonly app: Pick<App, 'getFileIcon'>;
  readonly ipc: Pick<IpcMain, 'on'>;
  readonly window: Pick<DesktopWindow, 'current'>;
  /** Shown where the system has no icon for a file; a Mac does not take an empty one. */
  readonly plainIcon: () => NativeImage;
}

interface PreparedDrag {
  readonly id: string;
  readonly file: string;
  readonly files: string[];
  readonly icon: NativeImage;
}

/**
 * Continues drags of the window with the files themselves. A Mac accepts that only at once, while the page handles
 * `dragstart`: so the engine names the files when a take is pressed, and the page starts what lies ready by its id. It
 * never names a file itself.
 */
export class DragOut {
  readonly #parts: DragOutParts;
  /** There is one window and one mouse: only the last one can begin. */
  #prepared: PreparedDrag | null = null;

  constructor(parts: DragOutParts) {
    this.#parts = parts;
    parts.ipc.on(DRAG_CHANNEL, (event, id: unknown) => {
      const drag = this.#prepared;
      if (drag === null || drag.id !== id || !isOfOurPage(event, parts.window.current())) return;
      event.sender.startDrag(drag);
    });
  }

  /** Makes a drag of these files ready, and returns its id. */
  async prepare(files: readonly [string, ...string[]]): Promise<string> {
    const [file] = files;
    const icon = await this.#iconOf(file);
    const id = randomUUID();
    this.#prepared = { id, file, files: [...files], icon };
    return id;
  }

  async #iconOf(file: string): Promise<NativeImage> {
    const ofSystem = await this.#parts.app.getFileIcon(file).catch(() => null);
    return ofSystem === null || ofSystem.isEmpty() ? this.#parts.plainIcon() : ofSystem;
  }
}
