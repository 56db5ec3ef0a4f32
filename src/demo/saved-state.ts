import { z } from 'zod';
import { assetRecord, groupRecord, type AssetStore } from './asset-store.ts';
import { taskRecord, type TaskStore } from './task-store.ts';
import { randomBytes } from 'node:crypto';
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

/** An append-only file of JSON lines; none without a folder. A kill tears the last line at most, which is dropped. */
export class SavedState {
  readonly #file: string | null;
  readonly #lines: StateLine[];
  /** Signs result addresses; the same in every run, so that addresses survive a restart. */
  readonly secret: string;
  readonly port: number | null;

  constructor(directory: string | undefined) {
    if (directory !== undefined) mkdirSync(directory, { recursive: true });
    this.#file = directory === undefined ? null : join(directory, 'state.jsonl');
    this.#lines = this.#file === null ? [] : wholeLines(this.#file).map((line) => stateLine.parse(JSON.parse(line)));
    const known = this.#lines.find((line) => line.record === 'secret')?.secret;
    this.secret = known ?? randomBytes(32).toString('hex');
    if (known === undefined) this.save({ record: 'secret', secret: this.secret });
    this.port = this.#lines.findLast((line) => line.record === 'port')?.port ?? null;
  }

  restoreInto(tasks: TaskStore, assets: AssetStore): void {
    for (const line of this.#lines) {
      if (line.record === 'task') tasks.set(line.task.id, line.task);
      if (line.record === 'asset') assets.assetsById.set(line.asset.id, line.asset);
      if (line.record === 'group') assets.groupsById.set(line.group.id, line.group);
    }
  }

  savePort(port: number): void {
    if (port !== this.port) this.save({ record: 'port', port });
  }

  /** Returns once the line is with the operating system: killing this process no longer loses it. */
  save(line: StateLine): void {
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

/** Every whole line, oldest first. Cuts a torn tail off so that the next line starts on its own. */
function wholeLines(file: string): string[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  if (wholeBytes < bytes.length) truncateSync(file, wholeBytes);
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n');
  return lines.filter((line) => line !== '');
}
