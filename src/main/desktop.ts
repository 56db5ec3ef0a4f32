import type { ContractRouterClient } from '@orpc/contract';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Changes } from '../contract/events.ts';
import type { Contract } from '../contract/procedures.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import type { AwakeHelper } from '../host/awake-helper.ts';
import type { Quit } from './quit.ts';
import type { DesktopWindow } from './window.ts';

export interface Desktop {
  /** The engine by the window's procedures. Calls wait for a starting engine; a crash rejects running ones. */
  readonly client: ContractRouterClient<Contract>;
  /** Calls `listener` with each message of `events.changes`, a resync after each start of the engine. Returns the end of it. */
  listen(listener: (changes: Changes) => void): () => void;
  readonly window: DesktopWindow;
  readonly openings: Pick<OpenRequests, 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly awakeHelper: AwakeHelper | null;
  readonly dataFolder: string;
  /** Absolute folder of our package; `resources/` lies in it. */
  readonly packageFolder: string;
  readonly version: string;
  readonly quit: Pick<Quit, 'before' | 'onSessionEnd' | 'begin'>;
}

/** The whole paths among a launch's arguments, without switches; some desktops pass `file:` addresses. Pure. */
export function pathsIn(args: readonly string[], cwd: string): string[] {
  return args.flatMap((arg) => {
    if (arg === '' || arg.startsWith('-') || arg.includes('\0')) return [];
    if (!/^[a-z][a-z0-9+.-]+:/i.test(arg)) return [resolve(cwd, arg)];
    return arg.startsWith('file://') ? toPath(arg) : [];
  });
}

function toPath(address: string): string[] {
  try {
    const path = fileURLToPath(address);
    return isAbsolute(path) ? [path] : [];
  } catch {
    return [];
  }
}

/** Files and folders that the system asks the app to open, kept until there is a listener. */
export class OpenRequests {
  readonly #listeners = new Set<(paths: readonly string[]) => void>();
  #waiting: string[] = [];

  /** Calls `listener` with each opening's paths, absolute and unchecked, until the returned function is called. */
  listen(listener: (paths: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) listener(waiting);
    return () => this.#listeners.delete(listener);
  }

  add(paths: readonly string[]): void {
    if (paths.length === 0) return;
    if (this.#listeners.size === 0) this.#waiting.push(...paths);
    for (const listener of this.#listeners) listener(paths);
  }
}
