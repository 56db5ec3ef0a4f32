import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KillPoints, watchEverything } from './kill-points.ts';
import { startFilmEngine, type FilmPlace } from './sample-film.ts';

/**
 * Changes the film's project beside its takes, which go on, in a process of its own that ends itself with SIGKILL at the
 * point of this number after the change began. Prints the point, or that it came to the end before.
 */
interface ChangeOrder {
  readonly place: FilmPlace;
  readonly change: Change;
  readonly killAfter: number;
}

export type Change = { readonly type: 'rename' | 'rename_batch'; readonly name: string } | { readonly type: 'archive' };

const { place, change, killAfter } = JSON.parse(process.argv[2] ?? '') as ChangeOrder;

let passed: number | null = null;
const points = new KillPoints((point) => {
  if (passed === null) return;
  passed += 1;
  if (passed <= killAfter) return;
  writeSync(1, JSON.stringify({ killedAt: point }));
  process.kill(process.pid, 'SIGKILL');
});
await watchEverything(points, dirname(place.projectFolder));

const engine = await startFilmEngine(place);
const [project] = engine.stores.projects.list();
if (!project) throw new Error('The film is on no list.');
if (change.type === 'rename') engine.queue.run({});
passed = 0;
await make(project.id);
writeSync(1, JSON.stringify({ killedAt: null }));
process.kill(process.pid, 'SIGKILL');

async function make(projectId: string): Promise<unknown> {
  switch (change.type) {
    case 'rename':
      return engine.commands.run('projects.rename', { projectId, name: change.name }, 'command');
    case 'archive':
      return engine.commands.run('projects.archive', { projectId }, 'command');
    case 'rename_batch': {
      const [batch] = engine.stores.batches.list(projectId);
      return engine.commands.run('batches.rename', { batchId: batch?.id ?? '', name: change.name }, 'command');
    }
  }
}
