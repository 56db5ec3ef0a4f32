import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An append-only file of JSON lines. A process killed while it writes leaves at most one torn last line,
 * which the next start drops; every line before it is whole.
 */
export class StateLog {
  readonly #file: string;

  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#file = join(directory, 'state.jsonl');
  }

  /** Every whole line, oldest first. Cuts a torn tail off so that the next line starts on its own. */
  read(): unknown[] {
    if (!existsSync(this.#file)) return [];
    const bytes = readFileSync(this.#file);
    const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
    if (wholeBytes < bytes.length) truncateSync(this.#file, wholeBytes);
    return bytes
      .subarray(0, wholeBytes)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  }

  /** Returns once the line is with the operating system: killing this process no longer loses it. */
  append(line: unknown): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}
