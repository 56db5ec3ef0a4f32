import type { DesktopAbilities, DesktopEvent, FolderWish, MenuCommand, UpdateChoice } from '../contract/desktop.ts';

/**
 * What the program around a window does for it: the desktop app its own way, the web host the way a program without a
 * window can. Paths are absolute, and of files and folders that the engine has found in its projects. What a host has
 * no ability for it refuses with a RefusedError.
 */
export interface DesktopHost {
  abilities(): Promise<DesktopAbilities>;
  /** Null when the person chooses none. */
  pickFolder(wish: FolderWish): Promise<{ path: string } | null>;
  /** Shows a file or folder in the file manager. */
  reveal(path: string): Promise<void>;
  /** Hands files to the drag that the person has just begun. */
  dragOut(paths: string[]): Promise<void>;
  menu(commands: MenuCommand[]): Promise<void>;
  update(choice: UpdateChoice): Promise<void>;
  /** Ends when the signal is aborted. */
  events(signal: AbortSignal): Promise<AsyncIteratorObject<DesktopEvent, unknown, void>>;
}
