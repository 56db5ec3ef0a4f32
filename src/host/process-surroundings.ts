import { homedir } from 'node:os';
import { systemKeychain, type Keychain } from './keychain.ts';
import { systemClock } from './system-clock.ts';
import type { DemoService, DemoServiceOptions } from '../demo/service.ts';
import type { StartEngine } from '../engine/engine-api.ts';
import type { Clock } from '../engine/base/ports.ts';

/** Given afresh with each start, and so for whatever address is set then; see `keyStore` for an address that is changed later. */
export const KEY_VARIABLE = 'DAILIES_API_KEY';

let givenKey: string | undefined;

/**
 * The machine as the running process sees it. The key is taken out of the environment of the process, which every program
 * that it starts would be given, and is in the copy alone that is returned.
 */
export function processSurroundings(): Surroundings {
  givenKey = process.env[KEY_VARIABLE] ?? givenKey;
  Reflect.deleteProperty(process.env, KEY_VARIABLE);
  const env = { ...process.env, ...(givenKey !== undefined && { [KEY_VARIABLE]: givenKey }) };
  return {
    env,
    cwd: process.cwd(),
    homeFolder: homedir(),
    platform: process.platform,
    clock: systemClock,
    keychain: () => systemKeychain(env),
    startEngine: async (options) => (await import('../engine/engine.ts')).startEngine(options),
    startDemoService: async (options) => (await import('../demo/service.ts')).startDemoService(options),
  };
}

/**
 * Everything that a program which hosts the engine sees of its machine, so that tests can be the machine. What is heavy
 * to load is a function that loads it: `dailies --help` must not wait for a database or a network library.
 */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeFolder: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly keychain: () => Promise<Keychain>;
  readonly startEngine: StartEngine;
  readonly startDemoService: (options: DemoServiceOptions) => Promise<DemoService>;
}
