import type { DemoService, DemoServiceOptions } from '../demo/service.ts';
import type { StartEngine } from '../engine/engine-api.ts';
import type { Clock } from '../engine/ports.ts';
import type { Keychain } from './keychain.ts';

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
