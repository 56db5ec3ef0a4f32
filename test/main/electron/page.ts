import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import type { MessagePort } from 'node:worker_threads';
import type { DesktopBridge } from '../../../src/contract/bridge.ts';
import type { MessagePortStandIn } from './ports.ts';
import { strict } from './strict.ts';

type Listener = (event: { ports: readonly MessagePort[] }) => void;
type GateEvent = { source: unknown; origin: string; data: unknown; ports: readonly MessagePort[] };

/** A page that was loaded, with its preload script run beside it: what of a renderer process matters here. */
export class Page {
  readonly response: Response;
  /** What the preload script gave the page. */
  readonly exposed: Record<string, unknown> = {};
  /** The page's window, as far as messages go through it. */
  readonly window: {
    addEventListener(type: string, listener: (event: never) => void): void;
    postMessage(data: unknown, origin: string, ports: readonly MessagePort[]): void;
  };
  readonly origin: string;
  private readonly heard = new Map<string, Set<(event: GateEvent) => void>>();
  private readonly channels = new Map<string, Listener>();

  constructor(response: Response, origin: string) {
    this.response = response;
    this.origin = origin;
    this.window = strict('window', {
      addEventListener: (type: string, listener: (event: never) => void): void => {
        const listeners = this.heard.get(type) ?? new Set();
        this.heard.set(type, listeners.add(listener as (event: GateEvent) => void));
      },
      postMessage: (data: unknown, target: string, ports: readonly MessagePort[]): void => {
        if (target !== origin) return;
        this.dispatch('message', { source: this.window, origin, data, ports });
      },
    });
  }

  /** Runs the preload script as a sandboxed renderer does: `electron` is all it can require. */
  runPreload(path: string, send: (channel: string, ...args: unknown[]) => void): void {
    const electron = strict('electron, in a renderer,', {
      contextBridge: strict('contextBridge', {
        exposeInMainWorld: (name: string, value: unknown): void => {
          this.exposed[name] = value;
        },
      }),
      ipcRenderer: strict('ipcRenderer', {
        on: (channel: string, told: Listener): void => void this.channels.set(channel, told),
        send,
      }),
      webUtils: strict('webUtils', { getPathForFile: (file: { path?: string }): string => file.path ?? '' }),
    });
    const require = (name: string): unknown => {
      if (name === 'electron') return electron;
      throw new Error(`A sandboxed preload script cannot require ${name}.`);
    };
    vm.runInNewContext(readFileSync(path, 'utf8'), { require, window: this.window, location: { origin: this.origin } });
    for (const bridge of Object.values(this.exposed)) (bridge as DesktopBridge<never>).connect();
  }

  /** Something arrives from main. */
  onEvent(channel: string, ports: readonly MessagePortStandIn[]): void {
    this.channels.get(channel)?.({ ports: ports.map(({ node }) => node) });
  }

  dispatch(type: string, event: GateEvent): void {
    for (const listener of this.heard.get(type) ?? []) listener(event);
  }
}
