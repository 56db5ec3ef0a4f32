import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoService } from '../demo/service.ts';
import type { Sample } from '../server/services.ts';
import { resourcesFolder } from './package-folder.ts';
import type { Surroundings } from './process-surroundings.ts';

export interface SampleKit {
  /** Starts the demo service at the first call. Its tasks outlive it. */
  open(): Promise<Sample>;
  stop(): Promise<void>;
}

/** The sample project's list, folder and service. */
export function sampleKit(machine: Surroundings, dataFolder: string): SampleKit {
  let starting: Promise<DemoService> | null = null;
  return {
    async open() {
      starting ??= machine
        .startDemoService({ stateDir: join(dataFolder, 'sample-service') })
        .catch((error: unknown) => {
          // A full disk, say: once that is put right, it is tried again.
          starting = null;
          throw error;
        });
      const { url, apiKey } = await starting;
      const folder = join(resourcesFolder(), 'samples');
      const name = 'sample-shots.csv';
      return {
        service: { baseUrl: url, apiKey },
        projectFolder: join(dataFolder, 'Sample project'),
        list: { name, folder, bytes: await readFile(join(folder, name)) },
      };
    },
    async stop() {
      await (await starting)?.stop();
    },
  };
}
