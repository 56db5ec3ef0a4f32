import type { ListToRun } from '../../src/contract/run.ts';
import { textOfShots } from '../../src/server/runs.ts';
import { createORPCClient, type ClientLink } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { NightWindow } from '../../src/contract/night-window.ts';
import { createRouterClient } from '@orpc/server';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as realSleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { Agent, fetch as fetchOver } from 'undici';
import { contract, type Contract } from '../../src/contract/procedures.ts';
import { Settings } from '../../src/contract/settings.ts';
import type { ShotSpec } from '../../src/contract/shot.ts';
import { keyFingerprint } from '../../src/engine/api/address.ts';
import type { Clock } from '../../src/engine/base/ports.ts';
import { createRouter, servePort } from '../../src/server/router/router.ts';
import type { Services } from '../../src/server/services.ts';
import { browserDesktop, type OpenerCommand } from '../../src/server/web/browser-desktop.ts';
import { startPrivateHost } from '../../src/server/private/host.ts';
import { startWebHost, type WebHost } from '../../src/server/web/host.ts';
import { enter, headersOf } from '../support/entry.ts';
import { World, type WorldOptions } from '../support/world.ts';
import { StudioError } from '../../src/studio/errors.ts';
import { settingsStore } from '../../src/host/settings-file.ts';

/** Calls whatever path it is given. */
export type Link = ClientLink<Record<never, never>>;
export type Api = ContractRouterClient<Contract>;

const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, { signal } = {}) => realSleep(ms, undefined, signal ? { signal } : {}),
};

/** An engine on the demo service, and everything its procedures need of a host. */
type ServedKey = ReturnType<Services['keys']['of']>;

/** The key of the first account; the others have none. */
function servedKeys(first: ServedKey): Services['keys'] {
  const none = { present: false, from: 'none' } as const;
  const other: ServedKey = {
    state: () => none,
    fingerprint: () => null,
    set: () => Promise.resolve(none),
    forget: () => Promise.resolve(none),
  };
  return { refresh: () => Promise.resolve(), of: (id = null) => (id === null ? first : other) };
}

const noStudio = (): Promise<never> => Promise.reject(new StudioError('studio_none'));

export class Served {
  readonly world: World;
  readonly services: Services;
  readonly windowFolder: string;
  /** Commands that were to open something in the system. */
  readonly shown: OpenerCommand[];
  readonly #stopping = new AbortController();
  readonly #endings: (() => Promise<void> | void)[] = [];

  private constructor(world: World, services: Omit<Services, 'stopping'>, shown: OpenerCommand[]) {
    this.world = world;
    this.shown = shown;
    this.services = { ...services, stopping: this.#stopping.signal };
    this.windowFolder = join(world.folder, 'window');
  }

  static async open(options: WorldOptions & { clock?: Clock } = {}): Promise<Served> {
    const world = await World.open(options);
    const engine = await world.start();
    const settings = Settings.parse({ baseUrl: world.service.url, ...options.settings });
    const homeFolder = join(world.folder, 'home');
    mkdirSync(homeFolder);
    const clock = options.clock ?? realClock;
    const shown: OpenerCommand[] = [];
    const store = settingsStore(world.dataFolder, settings);
    world.changedSettings = store.changedElsewhere;
    const services: Omit<Services, 'stopping'> = {
      engine,
      caller: 'window',
      settings: store,
      keys: servedKeys({
        state: () => (world.key === null ? { present: false, from: 'none' } : { present: true, from: 'file' }),
        fingerprint: () => (world.key === null ? null : keyFingerprint(world.key)),
        set(key) {
          world.key = key;
          return Promise.resolve({ present: true, from: 'file' });
        },
        forget() {
          world.key = null;
          return Promise.resolve({ present: false, from: 'none' });
        },
      }),
      messages: {
        settingsChanged: () => undefined,
        secrets: () =>
          Promise.resolve({ webhook: 'none', ntfy: 'none', slack: 'none', discord: 'none', mail: 'none' } as const),
        storeSecret: () => Promise.resolve(),
        test: () => Promise.resolve(),
      },
      studio: {
        get: () => Promise.resolve(null),
        ...{ join: noStudio, change: noStudio, leave: noStudio },
        ...{ setBudget: noStudio, declareDead: noStudio, reconcile: noStudio },
      },
      host: {
        version: '0.0.0-test',
        dataFolder: world.dataFolder,
        homeFolder,
        clock,
        logger: world.log,
        power: () => ({ keepsAwake: null, onBattery: false }),
        freeBytes: () => Promise.resolve(world.freeBytes),
        proxyFor: () => Promise.resolve(null),
        diagnostics: () => Promise.resolve('All is well.\n'),
        sample: () =>
          Promise.resolve({
            service: { baseUrl: world.service.url, apiKey: world.service.apiKey },
            projectFolder: join(world.folder, 'sample'),
            list: { name: 'sample.csv', folder: world.folder, bytes: Buffer.from(SAMPLE) },
          }),
      },
      desktop: browserDesktop('linux', clock, (opener) => {
        shown.push(opener);
        return Promise.resolve(0);
      }),
    };
    return new Served(world, services, shown);
  }

  /** The procedures without any wire. */
  inProcess(): Api {
    return createRouterClient(createRouter(this.services));
  }

  overPort(): Api {
    return createORPCClient(this.portLink());
  }

  async overSocket(): Promise<Api> {
    return createORPCClient(await this.socketLink());
  }

  async overHttp(): Promise<Api> {
    return createORPCClient(await this.httpLink());
  }

  portLink(): Link {
    const { port1, port2 } = new MessageChannel();
    servePort(this.services, port1);
    this.#endings.push(() => {
      port1.close();
      port2.close();
    });
    return new PortLink({ port: port2 });
  }

  async web(): Promise<WebHost> {
    const host = await startWebHost({ services: this.services, windowFolder: this.windowFolder, port: 0 });
    this.#endings.push(() => host.close());
    return host;
  }

  async socketLink(): Promise<Link> {
    const host = await startPrivateHost(this.services);
    const dispatcher = new Agent({ connect: { socketPath: host.socket } });
    this.#endings.push(
      () => dispatcher.destroy(),
      () => host.close(),
    );
    return new RPCLink({
      url: 'http://localhost/rpc',
      async fetch(request) {
        const { url, method, signal } = request;
        const headers = Object.fromEntries(request.headers);
        const body = new Uint8Array(await request.arrayBuffer());
        // The same class by another copy of the library that Node itself brings.
        return (await fetchOver(url, { method, headers, body, signal, dispatcher })) as unknown as Response;
      },
    });
  }

  async httpLink(): Promise<Link> {
    const host = await this.web();
    const headers = headersOf(await enter(host.newEntry()));
    return new RPCLink({ url: `${host.address}/rpc`, headers });
  }

  /** Saved takes of `count` image shots, in a project of their own batch. */
  async saveImages(count: number, name = 'Stills'): Promise<string> {
    await this.world.run(images(count), { name });
    const [project] = this.world.engine.stores.projects.list();
    if (!project) throw new Error('there is no project');
    return project.id;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    for (const end of this.#endings) await end();
    await this.world.close();
  }
}

const SAMPLE = 'shot,kind,model,prompt\n010,image,image-demo,A harbour\n020,video,vgen-2.0-nt,A boat\n';

export function images(count: number, change: Partial<ShotSpec> = {}): ShotSpec[] {
  return Array.from({ length: count }, (_, index) => ({
    key: String(index + 1).padStart(4, '0'),
    kind: 'image',
    model: 'image-demo',
    prompt: `Still ${index + 1}`,
    takes: 1,
    params: {},
    extra: {},
    columns: {},
    priority: 0,
    ...change,
  }));
}

/** Shots as a command sends a list that it has checked. */
export const asList = (shots: readonly ShotSpec[]): Pick<ListToRun, 'shots' | 'rows' | 'texts'> => ({
  ...{ shots: textOfShots(shots), rows: shots.map((_, index) => index + 2), texts: {} },
});

const named = (noun: string, names: string): string[] => names.split(' ').map((name) => `${noun}.${name}`);

/** Procedures that change nothing of a project, and have no line in the history: they look, or are about the machine. */
export const changingNothing: readonly string[] = [
  ...named('projects', 'list archived facts history verify export sample'),
  ...named('drafts', 'list get rows defects shots plan estimate template save'),
  ...named('jobs', 'list get wantedFrames'),
  ...named(
    'takes',
    'list ids groups tally details models columns tags estimate refreshPlan planMore planReview spent atStake trashPlan trashSize',
  ),
  ...named('takes', 'tonight export'),
  ...named('cuts', 'list get timeline layOut fromPicks export reel'),
  ...named('spending', 'totals by csv statistics statisticsCsv night caps'),
  ...named('promptLibrary', 'variables presets'),
  // The library is that of a service; no project owns any of it.
  ...named('library', 'groups assets asset untilReady syncedAt whereUsed usedBy addUrl uploadFiles sync hide'),
  // What becomes of an answer that was paid for before.
  ...named('tools', 'price open meaningStatus reopen used dismiss'),
  ...named('folders', 'list create'),
  ...named('places', 'last keep'),
  ...named('nights', 'unseen seen'),
  ...[
    'batches.list',
    'batches.stages',
    'batches.withStatus',
    'jobs.nextWaits',
    'runs.follow',
    'queue.view',
    'windows.list',
    'savedViews.list',
    'clippings.list',
    'clippings.look',
  ],
  ...Object.keys(contract.settings).map((name) => `settings.${name}`),
  ...Object.keys(contract.messages).map((name) => `messages.${name}`),
  ...Object.keys(contract.studio).map((name) => `studio.${name}`),
  ...Object.keys(contract.desktop).map((name) => `desktop.${name}`),
  // By a command of the table, which has its own line and is refused itself: see `run-command.test.ts`.
  ...['commands.undo', 'events.changes'],
];

export const procedureNames: readonly string[] = Object.entries(contract).flatMap(([noun, calls]) =>
  Object.keys(calls).map((name) => `${noun}.${name}`),
);

/** What the calls below are about. */
interface CallScene {
  readonly projectId: string;
  readonly batchId: string;
  readonly takeId: string;
}

// Closed now: the clock of the tests starts on a Monday morning.
const window: NightWindow = { days: ['sun'], opens: '22:00', closes: '22:30', timeZone: 'UTC' };
const verdict = { rating: 5 as const };
const emptyCut = (name: string) => ({ name, rate: { num: 24, den: 1 }, clips: [], music: [] });

type ChangeCall = (api: Api, scene: CallScene) => Promise<unknown>;
const callsOf = <Name extends string>(all: Readonly<Record<Name, ChangeCall>>) => all;

/** Procedures that change something of a project, each with an input of its own. */
export const changes = callsOf({
  'takes.judge': (api, { takeId }) => api.takes.judge({ ids: [takeId], verdict }),
  'takes.mergeReview': (api, { takeId }) =>
    api.takes.mergeReview({ each: [{ takeId, verdict: { note: 'Hold longer' } }] }),
  'takes.restore': (api, { takeId }) =>
    api.takes.restore({ before: [{ takeId, verdict: { flag: null, rating: 0, note: '' } }], verdict }),
  'takes.another': (api, { takeId }) => api.takes.another({ takeId, changes: { cells: {} } }),
  'takes.refresh': (api, { takeId }) => api.takes.refresh({ ids: [takeId] }),
  'takes.more': (api, { takeId }) => api.takes.more({ ids: [takeId], how: 'retake', note: 'Darker' }),
  'takes.trash': (api, { takeId }) => api.takes.trash({ ids: [takeId] }),
  'takes.untrash': (api, { takeId }) => api.takes.untrash({ ids: [takeId] }),
  'takes.emptyTrash': (api, { takeId }) => api.takes.emptyTrash({ ids: [takeId] }),
  'spending.changeCap': (api, { batchId }) =>
    api.spending.changeCap({ scope: { scope: 'batch', batchId }, change: { takes: 40 } }),
  'windows.change': (api, { projectId }) => api.windows.change({ scope: { scope: 'project', projectId }, window }),
  'batches.addShot': (api, { projectId }) =>
    api.batches.addShot({ projectId, cells: { kind: 'image', model: 'image-demo', prompt: 'A mast' } }),
  'batches.rename': (api, { batchId }) => api.batches.rename({ batchId, name: 'Day 9' }),
  'batches.setNotes': (api, { batchId }) => api.batches.setNotes({ batchId, notes: 'Too dark' }),
  'batches.order': (api, { projectId }) => api.batches.order({ projectId, order: 'name' }),
  'batches.archive': (api, { batchId }) => api.batches.archive({ batchId }),
  'batches.unarchive': (api, { batchId }) => api.batches.unarchive({ batchId }),
  'savedViews.save': (api, { projectId }) => api.savedViews.save({ projectId, name: 'Best', filter: { sort: 'list' } }),
  'cuts.save': (api, { projectId }) => api.cuts.save({ projectId, cut: emptyCut('Cut 1'), revision: null }),
  'promptLibrary.setVariable': (api, { projectId }) =>
    api.promptLibrary.setVariable({ projectId, name: 'hero', text: 'Ada' }),
  'promptLibrary.removeVariable': (api, { projectId }) => api.promptLibrary.removeVariable({ projectId, name: 'hero' }),
  'promptLibrary.savePreset': (api, { projectId }) =>
    api.promptLibrary.savePreset({ projectId, kind: 'image', name: 'Wide', cells: { size: '512x512' } }),
  'projects.rename': (api, { projectId }) => api.projects.rename({ projectId, name: 'Reel' }),
  'projects.account': async (api, { projectId }) => {
    await api.settings.update({ accounts: [{ id: 'acme', name: 'Acme', baseUrl: 'https://acme.test' }] as never });
    return api.projects.account({ projectId, account: 'Acme' });
  },
  'projects.archive': (api, { projectId }) => api.projects.archive({ projectId }),
  'projects.forget': (api, { projectId }) => api.projects.forget({ projectId }),
});
