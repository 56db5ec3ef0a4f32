import type { Page } from '@playwright/test';

/** What runs the app for a test: a server with a browser, or the desktop app. */
export interface TestHost {
  /** What lets one more window in, where that is an address. */
  readonly entry?: string;
  /** Starts (again) on the same data folder. */
  start(env: Record<string, string>): Promise<void>;
  /** Shows the window of what was started. */
  show(): Promise<void>;
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Chooses a folder in the dialogue that is open, by typing its path and pressing the button of this name. */
  chooseFolder(folder: string, button: string): Promise<void>;
  /** The text on the clipboard. */
  clipboard(): Promise<string>;
}

export interface TestMachine {
  /** Where data, projects and the person's own folder are. */
  readonly folder: string;
  readonly page: Page;
  /** Listens to what goes wrong in a page. */
  readonly watch: (page: Page) => void;
}
