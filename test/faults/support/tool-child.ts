import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KillPoints, watchEverything } from './kill-points.ts';
import { rewriting, startFilmEngine, type FilmPlace } from './sample-film.ts';

/**
 * One call of a tool, in a process of its own that ends itself with SIGKILL at the point of this number after the call
 * began. Prints the point, or that it came to the end before.
 */
const { place, killAfter } = JSON.parse(process.argv[2] ?? '') as { place: FilmPlace; killAfter: number };

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
const { id } = await engine.projects.open(place.projectFolder);
passed = 0;
await engine.tools.prompts.rewrite(rewriting(id));
writeSync(1, JSON.stringify({ killedAt: null }));
process.kill(process.pid, 'SIGKILL');
