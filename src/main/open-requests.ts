import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenRequests } from './desktop.ts';

/**
 * The whole paths among the arguments of a launch. Switches are the system's and Chromium's; some desktops hand over
 * files as `file:` addresses. Pure.
 */
export function pathsIn(args: readonly string[], cwd: string): string[] {
  return args.flatMap((arg) => {
    if (arg === '' || arg.startsWith('-') || arg.includes('\0')) return [];
    if (!/^[a-z][a-z0-9+.-]+:/i.test(arg)) return [resolve(cwd, arg)];
    return arg.startsWith('file://') ? pathOf(arg) : [];
  });
}

function pathOf(address: string): string[] {
  try {
    const path = fileURLToPath(address);
    return isAbsolute(path) ? [path] : [];
  } catch {
    return [];
  }
}

/** Paths to open, kept until there is a listener. */
export class OpenRequestQueue implements OpenRequests {
  readonly #listeners = new Set<(paths: readonly string[]) => void>();
  #waiting: string[] = [];

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
