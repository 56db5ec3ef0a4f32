import { z } from 'zod';
import { assetRecord, groupRecord, type AssetStore } from './asset-store.ts';
import { newSigningSecret } from './media-addresses.ts';
import { taskRecord, type TaskStore } from './task-store.ts';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const stateLine = z.discriminatedUnion('record', [
  z.object({ record: z.literal('secret'), secret: z.string() }),
  z.object({ record: z.literal('port'), port: z.number() }),
  z.object({ record: z.literal('task'), task: taskRecord }),
  z.object({ record: z.literal('asset'), asset: assetRecord }),
  z.object({ record: z.literal('group'), group: groupRecord }),
]);
type StateLine = z.infer<typeof stateLine>;

export class SavedState {
  readonly #log: StateLog | null;
  readonly #lines: StateLine[];
  /** Signs result addresses; the same in every run, so that addresses survive a restart. */
  readonly secret: string;
  /** The port of the last run. */
  readonly port: number | null;

  constructor(directory: string | undefined) {
    this.#log = directory === undefined ? null : new StateLog(directory);
    this.#lines = (this.#log?.read() ?? []).map((line) => stateLine.parse(line));
    const known = this.#lines.find((line) => line.record === 'secret')?.secret;
    this.secret = known ?? newSigningSecret();
    if (known === undefined) this.save({ record: 'secret', secret: this.secret });
    this.port = this.#lines.findLast((line) => line.record === 'port')?.port ?? null;
  }

  restoreInto(tasks: TaskStore, assets: AssetStore): void {
    for (const line of this.#lines) {
      if (line.record === 'task') tasks.restore(line.task);
      if (line.record === 'asset') assets.restoreAsset(line.asset);
      if (line.record === 'group') assets.restoreGroup(line.group);
    }
  }

  savePort(port: number): void {
    if (port !== this.port) this.save({ record: 'port', port });
  }

  save(line: StateLine): void {
    this.#log?.append(line);
  }
}

/**
 * An append-only file of JSON lines. A process killed while it writes leaves at most one torn last line,
 * which the next start drops; every line before it is whole.
 */
class StateLog {
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
