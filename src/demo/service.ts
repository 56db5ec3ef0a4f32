import { type SavedAsset, AssetStore } from './asset-store.ts';
import { type TaskRecord, TaskStore, type Speed, type DemoClock, realClock } from './task-store.ts';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceChoices, ServiceParts } from './service-parts.ts';
import { entries } from './entries/index.ts';
import { exchange, type Interceptor } from './exchange.ts';
import { Ledger } from './ledger.ts';
import { MediaAddresses } from './media-addresses.ts';
import { MAKERS, MediaLibrary, type MediaStyle } from './media/media-library.ts';
import type { MediaKind } from './models.ts';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type { AssetStore, NewAsset } from './asset-store.ts';
export type { DemoClock } from './task-store.ts';
export type { Ending, Ledger, LedgerEntry } from './ledger.ts';
export type { Speed, TaskRecord, TaskStore } from './task-store.ts';

export interface DemoServiceOptions extends Partial<ServiceChoices> {
  /** 0, the default, takes the port remembered in `stateDir` when it is free, else any free one. */
  port?: number | undefined;
  host?: string;
  apiKey?: string;
  clock?: DemoClock;
  speed?: Partial<Speed>;
  faster?: number | undefined;
  stateDir?: string | undefined;
  /** `real` is worth looking at and listening to; `tiny` is whole and valid and made at once. */
  media?: MediaStyle;
  /** With tiny media: pad every file to at least so many bytes. */
  tinyBytes?: number;
  /** `separate` serves results from a second port, which is another origin. */
  mediaOrigin?: 'same' | 'separate';
  resultTtlMs?: number;
  newGroupId?: () => string;
  interceptor?: Interceptor;
}

export interface DemoService {
  url: string;
  port: number;
  apiKey: string;
  ledger: Ledger;
  tasks: TaskStore;
  assets: AssetStore;
  /** Closes its ports, or opens them again on the same numbers. */
  setOpen(isOpen: boolean): Promise<void>;
  stop(): Promise<void>;
}

const TEN_MINUTES = 600_000;

const USUAL: ServiceChoices = {
  ...{ asyncImages: true, rejectUnknownFields: true, uploadForm: 'all', modelList: 'ids', limits: null },
};

/**
 * Starts a service on this machine that speaks the service's reference strictly and makes real media.
 * Rejects when the port is taken or `stateDir` cannot be used.
 */
export async function startDemoService(options: DemoServiceOptions = {}): Promise<DemoService> {
  const { host = '127.0.0.1', apiKey = 'demo-key', clock = realClock, interceptor = null } = options;
  const stopping = new AbortController();
  const saved = new SavedState(options.stateDir);
  const parts = buildParts(options, clock, saved);
  const separate = options.mediaOrigin === 'separate';

  const api = new Listener(host, (request, response) => void exchange(request, response, 'api', tools));
  const media = new Listener(host, (request, response) => void exchange(request, response, 'media', tools));
  const tools = { parts, interceptor, apiKey, routes: entries, signal: stopping.signal };
  const setOpen = async (isOpen: boolean): Promise<void> => {
    for (const each of separate ? [api, media] : [api]) await (isOpen ? each.open() : each.close());
  };

  await openApi(api, options.port ?? 0, saved.port);
  if (separate) await media.open();
  parts.addresses.origin = separate ? media.origin : api.origin;
  saved.savePort(api.port);

  return {
    url: api.origin,
    port: api.port,
    apiKey,
    ledger: parts.ledger,
    tasks: parts.tasks,
    assets: parts.assets,
    setOpen,
    stop: async () => {
      stopping.abort();
      await setOpen(false);
    },
  };
}

function buildParts(options: DemoServiceOptions, clock: DemoClock, saved: SavedState): ServiceParts {
  const speed = { ...usualSpeed(options.faster ?? 1), ...options.speed };
  const tasks = new TaskStore(clock, speed, (task) => saved.save({ record: 'task', task }));
  const assets = new AssetStore(clock, (line) => saved.save(line), options.newGroupId);
  saved.restoreInto(tasks, assets);
  return {
    clock,
    tasks,
    assets,
    speed,
    ledger: new Ledger(),
    media: new MediaLibrary(options.media ?? 'real', options.tinyBytes ?? 0),
    addresses: new MediaAddresses(clock, saved.secret, options.resultTtlMs ?? TEN_MINUTES),
    ...USUAL,
    ...Object.fromEntries(Object.entries(options).filter(([name]) => name in USUAL)),
  };
}

function usualSpeed(faster: number): Speed {
  const kinds = Object.entries(MAKERS).map(([kind, { usualMs }]) => [`${kind}Ms`, usualMs / faster]);
  return { ...(Object.fromEntries(kinds) as Record<`${MediaKind}Ms`, number>), assetMs: 900 / faster, jitter: 0.35 };
}

async function openApi(api: Listener, wanted: number, remembered: number | null): Promise<void> {
  if (wanted !== 0 || remembered === null) return api.open(wanted);
  try {
    await api.open(remembered);
  } catch {
    await api.open(0);
  }
}

/** One port that can be closed and opened again on the same number. */
class Listener {
  readonly #server: Server;
  readonly #host: string;
  port = 0;

  constructor(host: string, onRequest: RequestListener) {
    this.#host = host;
    this.#server = createServer(onRequest);
    // A faulty answer must stay faulty for as long as the test likes.
    this.#server.requestTimeout = 0;
  }

  /** Listens on `port`; 0 takes any free one. Rejects when the port is taken. */
  async open(port = this.port): Promise<void> {
    this.#server.listen(port, this.#host);
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get origin(): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `http://${host}:${String(this.port)}`;
  }
}

type StateLine =
  | { record: 'secret'; secret: string }
  | { record: 'port'; port: number }
  | { record: 'task'; task: TaskRecord }
  | SavedAsset;

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
    this.#lines = this.#file === null ? [] : wholeLines(this.#file).map((line) => JSON.parse(line) as StateLine);
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
