import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Settings } from '../../src/contract/settings.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { limitOf } from '../finding.ts';
import { spreadOf, timed, timedWithCpu, watchTurns } from '../measure.ts';
import { benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { seedFolder } from '../../test/support/seed-folder.ts';

const TAKES = 50_000;

/** Opening a project that another data folder has worked in, with a fresh one: each take's recipe is read and taken over. */
export const measure: MeasureRow = async ({ folder }) => {
  const projectPath = join(folder, 'film');
  const dataFolder = join(folder, 'data');
  await seedFolder(projectPath, TAKES);
  const settings = Settings.parse({ baseUrl: 'http://127.0.0.1:9' });
  const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
  const longestTurn = watchTurns();
  const ms = await timed(async () => {
    const { adoptedTakes, problems } = await engine.projects.open(projectPath);
    if (adoptedTakes !== TAKES) throw new Error(`${adoptedTakes} takes were adopted: ${problems[0] ?? ''}`);
  });
  const turn = longestTurn();
  const { saved } = engine.stores.tally.counts({});
  if (saved !== TAKES) throw new Error(`${saved} takes are saved.`);
  await engine.stop();
  const { cpuMs: resumed } = await timedWithCpu(() => resume(dataFolder, settings));
  rmSync(folder, { recursive: true });
  return [
    limitOf('Opening a project with 50,000 takes of another data folder', s, spreadOf([ms / 1000]), { atMost: 30 }),
    limitOf('… longest turn of that, processor time', { name: 'ms', digits: 0 }, spreadOf([turn]), { atMost: 50 }),
    limitOf('`resume` of it with nothing to do, processor time', s, spreadOf([resumed / 1000]), { atMost: 1 }),
  ];
};

/** What the command does: an engine over all projects, told of every take, until nothing can go on. */
async function resume(dataFolder: string, settings: Settings): Promise<void> {
  const engine = await startEngine({ dataFolder, settings, ports: benchPorts(), command: 'bench' });
  const takes = engine.stores.queries.list({ current: true });
  if (takes.length !== TAKES) throw new Error(`${takes.length} takes were listed.`);
  engine.queue.run({});
  await engine.queue.settled();
  await engine.stop();
}

const s = { name: 's', digits: 1 };
