import { mkdirSync } from 'node:fs';
import { Settings } from '../src/contract/settings.ts';
import type { ShotSpec } from '../src/contract/shot.ts';
import { openDatabase } from '../src/engine/db/open.ts';
import { ServiceStore } from '../src/engine/db/service-store.ts';
import { startEngine } from '../src/engine/engine.ts';
import { benchPorts } from './ports.ts';

/** Order for the process, as its only argument, JSON. */
export interface TakesOrder {
  readonly dataFolder: string;
  readonly projectFolder: string;
  readonly serviceUrl: string;
  readonly takes: number;
  /** Of a script: it writes down and checks as much as we do. */
  readonly careful?: boolean;
}

const MODEL = 'vgen-2.0-cl-fast';

/** One run of so many shots, from the list to the saved files, in a process of its own that can be traced. */
const { dataFolder, projectFolder, serviceUrl, takes } = JSON.parse(process.argv[2] ?? '') as TakesOrder;
mkdirSync(projectFolder, { recursive: true });
learnHowFast();
const settings = Settings.parse({ baseUrl: serviceUrl, maxRate: { submit: 50 } });
const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
const project = await engine.projects.open(projectFolder);
const shots = Array.from({ length: takes }, (_, index) => shot(index));
const list = { name: 'Day 1', listFolder: projectFolder, source: 'list.csv', shots };
await engine.batches.start({ project, ...list, again: false, agreed: [] });
engine.queue.run({});
await engine.queue.settled();
const { saved } = engine.stores.tally.counts({});
await engine.stop();
if (saved !== takes) throw new Error(`${saved} of ${takes} takes were saved.`);

/** So that nobody waits three seconds for the first look at a task that is done at once. */
function learnHowFast(): void {
  const db = openDatabase(dataFolder);
  const learned = new ServiceStore(db);
  for (let time = 0; time < 5; time += 1) learned.learnTaskTime(serviceUrl, MODEL, 60);
  db.close();
}

function shot(index: number): ShotSpec {
  return {
    key: String(index).padStart(4, '0'),
    kind: 'video',
    model: MODEL,
    prompt: `Shot ${index}`,
    takes: 1,
    params: { duration: 5 },
    extra: {},
    columns: {},
    priority: 0,
  };
}
