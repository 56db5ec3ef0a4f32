import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KillPoints, watchEverything } from './kill-points.ts';
import { startFilmEngine, type FilmPlace } from './sample-film.ts';

/**
 * Renames or archives the film's project beside its takes, which go on, in a process of its own that ends itself with
 * SIGKILL at the point of this number after the change began. Prints the point, or that it came to the end before.
 */
interface ChangeOrder {
  readonly place: FilmPlace;
  /** A new name; null to archive it. */
  readonly name: string | null;
  readonly killAfter: number;
}

const { place, name, killAfter } = JSON.parse(process.argv[2] ?? '') as ChangeOrder;

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
const [project] = engine.projects.list();
if (!project) throw new Error('The film is on no list.');
if (name !== null) engine.queue.run({});
passed = 0;
await (name === null
  ? engine.projects.archive(project.id, 'command')
  : engine.projects.rename(project.id, name, 'command'));
writeSync(1, JSON.stringify({ killedAt: null }));
process.kill(process.pid, 'SIGKILL');
