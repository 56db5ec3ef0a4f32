import type { Actor } from '../contract/history.ts';
import type { KeyState } from '../contract/procedures.ts';
import type { MessageChannel, SecretChannel, SecretSource } from '../contract/night-messages.ts';
import type {
  BudgetLimit,
  BudgetScope,
  DeclaredDead,
  StudioChange,
  StudioToJoin,
  StudioView,
} from '../contract/studio.ts';
import type { Settings, SettingsChange } from '../contract/settings.ts';
import type { ContractRouterClient } from '@orpc/contract';
import type * as z from 'zod';
import type { Engine } from '../engine/engine.ts';
import type { ServiceAccess } from '../engine/api/service-clients.ts';
import type { Clock, Logger } from '../engine/base/ports.ts';
import type { DesktopEvent, DiagnosticsExtent, PowerState, ShellContract } from '../contract/desktop.ts';
import { textForLog } from '../contract/messages/message.ts';
import type { OpenedProject } from '../engine/projects/project-claims.ts';
import { readTable } from '../engine/batches/read-table.ts';
import { checkList } from '../engine/batches/validate.ts';
import { realPath } from '../engine/files/existing-paths.ts';

interface SettingsStore {
  get(): Settings;
  /** Changes settings and writes them down. Throws a DailiesError, and changes nothing, when a value is not allowed. */
  change(change: SettingsChange): Settings;
}

/** The key of an account. It goes in; only whether there is one comes out. */
interface KeyStore {
  state(): z.infer<typeof KeyState>;
  /** Identifies the key in use without revealing it; null without a key or an address. */
  fingerprint(): string | null;
  set(key: string, allowFile: boolean): Promise<z.infer<typeof KeyState>>;
  forget(): Promise<z.infer<typeof KeyState>>;
}

/** Messages to a person who is away. Secrets go in; only where each comes from comes out. */
export interface MessageService {
  /** Channels may have been switched on. */
  settingsChanged(): void;
  secrets(): Promise<Record<SecretChannel, SecretSource>>;
  storeSecret(channel: SecretChannel, secret: string | null): Promise<void>;
  test(channel: MessageChannel): Promise<void>;
}

/** The studio that the data folder belongs to: it and its people. */
export interface StudioService {
  get(): Promise<StudioView | null>;
  join(studio: StudioToJoin): Promise<void>;
  change(change: StudioChange): Promise<void>;
  leave(): Promise<void>;
  setBudget(scope: BudgetScope, limit: BudgetLimit): Promise<void>;
  declareDead(machine: string): Promise<DeclaredDead>;
  reconcile(): Promise<void>;
}

export interface Sample {
  readonly service: ServiceAccess;
  /** Absolute folder of the sample project; made when it is not there. */
  readonly projectFolder: string;
  /** Name and content of the sample shot list, and the absolute folder its local paths start at. */
  readonly list: { readonly name: string; readonly bytes: Uint8Array; readonly folder: string };
}

export interface ServerHost {
  readonly version: string;
  readonly dataFolder: string;
  readonly homeFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  power(): PowerState | Promise<PowerState>;
  freeBytes(path: string): Promise<number>;
  /** Host and port of the proxy that requests to an address are sent through first; null when they go directly. */
  proxyFor(address: string): Promise<string | null>;
  /** What helps to find a fault, as text for people, without keys and signed addresses. */
  diagnostics(extent: DiagnosticsExtent): Promise<string>;
  sample(): Promise<Sample>;
}

export interface Services {
  readonly engine: Engine;
  readonly settings: SettingsStore;
  readonly keys: {
    /** Call this when accounts may have come or gone. */
    refresh(): Promise<void>;
    /** Of an account, by its id; absent or null: the first one. */
    of(accountId?: string | null): KeyStore;
  };
  readonly messages: MessageService;
  readonly studio: StudioService;
  readonly host: ServerHost;
  readonly desktop: DesktopHost;
  readonly caller: Actor;
  /** The callers are pages in browsers, which may do less than commands and the app. */
  readonly servesBrowsers?: true;
  readonly stopping: AbortSignal;
}

/**
 * What the program around a window does for it; the web host does only what needs no window. Paths are absolute, and
 * those of files and folders that the engine has found in its projects. A host that lacks an ability refuses with a
 * RefusedError.
 */
export type DesktopHost = Pick<
  ContractRouterClient<ShellContract>,
  'abilities' | 'pickFolder' | 'reveal' | 'prepareDrag' | 'menu' | 'update'
> & {
  events(input: undefined, options: { signal: AbortSignal }): Promise<AsyncIteratorObject<DesktopEvent, unknown, void>>;
};

/** The service that the sample project, and nothing else, is on. */
export const SAMPLE_SERVICE = 'demo';
const BATCH = 'sample';

export async function openSample({ engine, host, caller }: Services): Promise<OpenedProject> {
  const { service, projectFolder, list } = await host.sample();
  engine.useService(SAMPLE_SERVICE, service);
  const project = await engine.projects.open(projectFolder, 'engine', { service: SAMPLE_SERVICE });
  engine.projects.putOnService(project.id, SAMPLE_SERVICE);
  if (engine.stores.batches.named(project.id, BATCH)) return project;
  const table = await readTable({ bytes: list.bytes, name: list.name });
  const { shots, defects } = await checkList(table, { listFolder: list.folder });
  const [defect] = defects.filter(({ severity }) => severity === 'error');
  if (defect) throw new Error(`The sample list is broken: ${textForLog(defect.problem)}`);
  const agreed = [await realPath(list.folder)];
  const written = { headers: table.headers, rows: table.rows, mapping: {}, kind: null, defaults: {} };
  const request = { project, name: BATCH, listFolder: list.folder, source: list.name, shots, again: false, agreed };
  await engine.batches.start({ ...request, list: written, by: caller });
  return project;
}
