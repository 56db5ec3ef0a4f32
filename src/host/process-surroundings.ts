import { homedir } from 'node:os';
import { systemKeychain } from './keychain.ts';
import type { Surroundings } from './surroundings.ts';
import { systemClock } from './system-clock.ts';

/** The machine as the running process sees it. */
export function processSurroundings(): Surroundings {
  return {
    env: process.env,
    cwd: process.cwd(),
    homeFolder: homedir(),
    platform: process.platform,
    clock: systemClock,
    keychain: () => systemKeychain(process.env),
    startEngine: async (options) => (await import('../engine/engine.ts')).startEngine(options),
    startDemoService: async (options) => (await import('../demo/service.ts')).startDemoService(options),
  };
}
