import type { AsyncEntry } from '@napi-rs/keyring';
import { homedir, uptime } from 'node:os';
import type { DemoService, DemoServiceOptions } from '../demo/service.ts';
import type { StartEngine } from '../engine/engine.ts';
import type { SecretChannel } from '../contract/night-messages.ts';
import type { Clock } from '../engine/base/ports.ts';
import type { AwakeHelper } from './awake-helper.ts';

/**
 * Set with each start, so it belongs to the address of that start; see `keyStore` for an address that is changed later.
 */
export const KEY_VARIABLE = 'DAILIES_API_KEY';

/** The address of a studio's database, which may hold a password; and the password, by the name that all its programs use. */
export const STUDIO_VARIABLE = 'DAILIES_STUDIO';
export const PASSWORD_VARIABLE = 'PGPASSWORD';

export const secretVariables: Readonly<Record<SecretChannel, string>> = {
  webhook: 'DAILIES_WEBHOOK_SECRET',
  ntfy: 'DAILIES_NTFY_TOKEN',
  slack: 'DAILIES_SLACK_URL',
  discord: 'DAILIES_DISCORD_URL',
  mail: 'DAILIES_SMTP_PASSWORD',
};

const given: Record<string, string | undefined> = {};

/**
 * The machine as the running process sees it. Key and secrets are taken out of the environment of the process, which every
 * program that it starts would be given, and are in the copy alone that is returned.
 */
export function processEnvironment(): Environment {
  for (const name of [KEY_VARIABLE, STUDIO_VARIABLE, PASSWORD_VARIABLE, ...Object.values(secretVariables)]) {
    given[name] = process.env[name] ?? given[name];
    Reflect.deleteProperty(process.env, name);
  }
  const env = { ...process.env, ...given };
  return {
    env,
    cwd: process.cwd(),
    homeFolder: homedir(),
    platform: process.platform,
    clock: systemClock,
    keychain: (entry) => systemKeychain(env, entry),
    awakeHelper: async (onFailure) => (await import('./awake-helper.ts')).systemAwakeHelper(onFailure),
    startEngine: async (options) => (await import('../engine/engine.ts')).startEngine(options),
    startDemoService: async (options) => (await import('../demo/service.ts')).startDemoService(options),
  };
}

/** The machine for a program with an engine, replaceable in tests. Loads heavy parts late: `--help` must not wait. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeFolder: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly keychain: (entry?: string) => Promise<Keychain>;
  /** What keeps the computer awake; it calls `onFailure` when it cannot. */
  readonly awakeHelper: (onFailure: () => void) => Promise<AwakeHelper>;
  readonly startEngine: StartEngine;
  readonly startDemoService: (options: DemoServiceOptions) => Promise<DemoService>;
}

/** The system's own store for one secret. Every call fails on a system without one. */
export type Keychain = Pick<AsyncEntry, 'getPassword' | 'setPassword' | 'deletePassword'>;

/**
 * The keychain of this system: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux; none, where
 * `DAILIES_KEYCHAIN` is `none`. A system may ask the person first, for as long as they like: nothing else waits for that.
 */
export async function systemKeychain(
  env: Readonly<Record<string, string | undefined>>,
  name = 'api-key',
): Promise<Keychain> {
  if (env['DAILIES_KEYCHAIN'] === 'none') throw new Error('DAILIES_KEYCHAIN says to use none');
  const { AsyncEntry } = await import('@napi-rs/keyring');
  // Without this a Linux without a desktop would keep the key in the kernel, which forgets it at the next boot.
  return new AsyncEntry('dailies', name, { linux: { store: 'secret-service' } });
}

/** Node's timers end at once when asked for more than this, ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: steadyMs,
  async sleep(ms, options) {
    // The time may have passed since the caller looked, and Node warns about a negative timer.
    for (let left = Math.max(0, ms); ; left -= MAX_TIMER_MS) {
      await oneTimer(Math.min(left, MAX_TIMER_MS), options?.signal);
      if (left <= MAX_TIMER_MS) return;
    }
  },
};

/** The wall clock moves away from the process's own in a sleep of the computer, and when a person sets it, ms. */
const CLOCKS_APART_MS = 100;
let clocksApart = Number.NaN;
let startedBefore = 0;

/** Time since the computer started, its sleeps included, ms. The system reads a file for that: asked after a sleep only. */
function steadyMs(): number {
  const ran = performance.now();
  const apart = Date.now() - ran;
  if (!(Math.abs(apart - clocksApart) < CLOCKS_APART_MS)) {
    clocksApart = apart;
    startedBefore = uptime() * 1000 - ran;
  }
  return startedBefore + ran;
}

/** A timer of ours: each answer cancels one, and `timers/promises` makes an AbortError with a stack each time. */
function oneTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const cutShort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cutShort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', cutShort, { once: true });
  });
}
