import { z } from 'zod';
import { ASSET_TYPES } from './asset-store.ts';
import type { Asset, AssetGroup, AssetStore } from './asset-store.ts';
import { RESULT_PLACES } from './fault-rules.ts';
import { newSigningSecret } from './media-addresses.ts';
import type { TaskRecord, TaskStore } from './task-store.ts';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const taskRecord = z.object({
  id: z.string(),
  kind: z.enum(['video', 'image', 'music']),
  resource: z.enum(['videos', 'images', 'tasks']),
  model: z.string(),
  wanted: z.object({
    prompt: z.string(),
    title: z.string().nullable(),
    style: z.string().nullable(),
    seconds: z.number(),
    width: z.number(),
    height: z.number(),
    outputs: z.number(),
    audio: z.boolean(),
  }),
  references: z.array(z.object({ alias: z.string().nullable(), role: z.string(), type: z.string() })),
  createdAt: z.number(),
  takesMs: z.number(),
  end: z.enum(['succeeded', 'failed', 'cancelled', 'canceled', 'never']),
  error: z.object({ message: z.string(), type: z.string(), code: z.string() }).nullable(),
  resultPlace: z.enum(RESULT_PLACES),
  traceId: z.string(),
  records: z.array(z.string()).optional(),
});

const assetRecord = z.object({
  id: z.string(),
  groupId: z.string(),
  type: z.enum(ASSET_TYPES),
  upload: z.enum(['address', 'file']),
  model: z.string().nullable(),
  mode: z.enum(['asset', 'oss', 'both']),
  purpose: z.string().nullable(),
  role: z.string().nullable(),
  name: z.string(),
  description: z.string(),
  sourceUrl: z.string().nullable(),
  contentType: z.string().nullable(),
  bytes: z.number().nullable(),
  createdAt: z.number(),
  syncMs: z.number(),
  end: z.enum(['ready', 'failed', 'disabled', 'never']),
  syncError: z.string().nullable(),
  traceId: z.string(),
});

const groupRecord = z.object({
  id: z.string(),
  domain: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.enum(['enabled', 'disabled']),
  createdAt: z.number(),
  updatedAt: z.number(),
});

const stateLine = z.discriminatedUnion('record', [
  z.object({ record: z.literal('secret'), secret: z.string() }),
  z.object({ record: z.literal('port'), port: z.number() }),
  z.object({ record: z.literal('task'), task: taskRecord }),
  z.object({ record: z.literal('asset'), asset: assetRecord }),
  z.object({ record: z.literal('group'), group: groupRecord }),
]);
type StateLine = z.infer<typeof stateLine>;

/** What one run of the service leaves to the next. Without a directory nothing is kept. */
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
    if (known === undefined) this.#append({ record: 'secret', secret: this.secret });
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
    if (port !== this.port) this.#append({ record: 'port', port });
  }

  saveTask(task: TaskRecord): void {
    this.#append({ record: 'task', task });
  }

  saveAsset(asset: Asset): void {
    this.#append({ record: 'asset', asset });
  }

  saveGroup(group: AssetGroup): void {
    this.#append({ record: 'group', group });
  }

  #append(line: StateLine): void {
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
