import type { ContractRouterClient } from '@orpc/contract';
import type { BrowserWindow, MessagePortMain } from 'electron';
import type { Changes } from '../contract/events.ts';
import type { Contract } from '../contract/procedures.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import type { KeepAwakeParts } from './features/keep-awake.ts';

/** The running app, as its features use it. Everything here is made before the first window is. */
export interface Desktop {
  /**
   * The engine, by the window's procedures. Calls wait while it starts or restarts after a crash; running ones are
   * rejected by a crash.
   */
  readonly client: ContractRouterClient<Contract>;
  /** Calls `listener` with each message of `events.changes`, a resync after each start of the engine. Returns the end of it. */
  listen(listener: (changes: Changes) => void): () => void;
  readonly window: DesktopWindow;
  readonly openings: OpenRequests;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly awakeHelper: KeepAwakeParts['helper'];
  readonly dataFolder: string;
  /** Absolute folder of our package; `resources/` lies in it. */
  readonly packageFolder: string;
  readonly version: string;
  /** Work to do before the engine is drained, which waits for it. */
  onQuit(work: () => void | Promise<void>): void;
  /** Work to do at once when the session ends, also while the app already quits; nothing waits for it. */
  onSessionEnd(work: () => void): void;
  /**
   * Quits as the menu does: asks when something is being sent just then, drains, ends. `last` is what ends the program when
   * all is done; without it, `app.quit`.
   */
  quit(last?: () => void): void;
}

/** The one window. */
export interface DesktopWindow {
  /** Null while it is closed. */
  current(): BrowserWindow | null;
  /** Brings it to the front, out of the dock or the taskbar, and opens it if it was closed; not while the app ends. */
  show(): void;
}

/**
 * Files and folders that the system asks the app to open: given to a second launch, to "Open with", or dropped on the
 * icon.
 */
export interface OpenRequests {
  /**
   * Calls `listener` with the paths of each opening, earlier ones included, until the returned function is called. The
   * paths are absolute and come from outside: nothing about them is checked.
   */
  listen(listener: (paths: readonly string[]) => void): () => void;
}

/** The features, as the core sees them. */
export interface Features {
  /**
   * Answers the engine's process, over a port, what only this process can do. Called with a new port at each start of the
   * engine.
   */
  serveDesktop(port: MessagePortMain): void;
  /** Whether the app keeps running after its last window is closed. macOS always does. */
  runsWithoutWindow(): boolean;
  /** The last window was closed, and the app keeps running: says where it is, if that cannot be seen. */
  goOnUnseen(): void;
  /** Whether something goes on by itself, by the last reading: a request may be sent at any moment. */
  goesOn(): boolean;
}
