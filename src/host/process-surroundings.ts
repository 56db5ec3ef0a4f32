import { homedir } from 'node:os';
import { systemKeychain } from './keychain.ts';
import type { Surroundings } from './surroundings.ts';
import { systemClock } from './system-clock.ts';

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
