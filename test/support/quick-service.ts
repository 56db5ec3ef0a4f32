import { mkdirSync } from 'node:fs';
import { DEMO_MODELS } from '../../src/demo/models.ts';
import { openDatabase } from '../../src/engine/db/open.ts';
import { ServiceStore } from '../../src/engine/db/service-store.ts';

/** So many tasks say how far their times differ. */
const TASKS = 5;

/**
 * Makes a data folder that knows how long the tasks of a service take. Without it the first look at a task is three seconds
 * after its submit, for which a test of anything else would only wait.
 */
export function teachSpeed(dataFolder: string, serviceUrl: string, taskMs: number): void {
  mkdirSync(dataFolder);
  const db = openDatabase(dataFolder);
  const learned = new ServiceStore(db);
  for (const { id } of DEMO_MODELS) {
    for (let task = 0; task < TASKS; task += 1) learned.learnTaskTime(serviceUrl, id, taskMs);
  }
  db.close();
}
