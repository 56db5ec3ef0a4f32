import type { Logger } from '../../src/engine/base/ports.ts';

/** A log in memory, so that a test can search it for what must not be in it. */
export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  readonly debug = (message: string, facts?: object): void => this.#add('debug', message, facts);
  readonly info = (message: string, facts?: object): void => this.#add('info', message, facts);
  readonly warn = (message: string, facts?: object): void => this.#add('warn', message, facts);
  readonly error = (message: string, facts?: object): void => this.#add('error', message, facts);

  #add(level: string, message: string, facts: object = {}): void {
    this.lines.push(`${level} ${message} ${JSON.stringify(facts)}`);
  }
}
