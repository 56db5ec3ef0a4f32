import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import { CONNECT_CHANNEL, PORT_CHANNEL } from '../contract/bridge.ts';
import { messageOf } from '../engine/base/errors.ts';
import type { Logger } from '../engine/base/ports.ts';
import type { DesktopWindow } from './desktop.ts';
import type { EngineLink } from './engine-link.ts';
import { isOfOurPage, isOurs } from './lockdown.ts';

export interface PagePortsParts {
  readonly ipc: Pick<IpcMain, 'on'>;
  readonly engine: Pick<EngineLink, 'openPort'>;
  readonly window: Pick<DesktopWindow, 'current'>;
  readonly logger: Logger;
}

/**
 * Gives the page of our window a port to the engine: when it asks, which each loading of it does once, and again when
 * there is a new engine.
 */
export class PagePorts {
  readonly #parts: PagePortsParts;
  #connected: WebContents | null = null;
  /** The page whose port is on its way; it comes from whichever engine there is then. */
  #waiting: WebContents | null = null;

  constructor(parts: PagePortsParts) {
    this.#parts = parts;
    parts.ipc.on(CONNECT_CHANNEL, (event) => this.#answer(event));
  }

  /** There is a new engine: the page that is there gets a port to it. */
  renew(): void {
    const contents = this.#connected;
    if (contents && contents !== this.#waiting && !contents.isDestroyed() && isOurs(contents.getURL()))
      void this.#give(contents);
  }

  #answer(event: IpcMainEvent): void {
    if (!isOfOurPage(event, this.#parts.window.current())) {
      this.#parts.logger.warn('A page that is not ours asked for the engine', { url: event.senderFrame?.url ?? null });
      return;
    }
    this.#connected = event.sender;
    // A page that is loaded again while one is on its way gets that one.
    if (event.sender !== this.#waiting) void this.#give(event.sender);
  }

  async #give(contents: WebContents): Promise<void> {
    this.#waiting = contents;
    try {
      const port = await this.#parts.engine.openPort();
      // It may have gone elsewhere while the engine started.
      if (contents.isDestroyed() || !isOurs(contents.getURL())) port.close();
      else contents.postMessage(PORT_CHANNEL, null, [port]);
    } catch (error) {
      this.#parts.logger.warn('The page got no port to the engine', { reason: messageOf(error) });
    } finally {
      if (this.#waiting === contents) this.#waiting = null;
    }
  }
}
