import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KillPoints, watchEverything } from './kill-points.ts';
import { runFilm, type FilmPlace } from './sample-film.ts';

/**
 * One run of the film, in a process of its own that ends itself with SIGKILL at a given point. At the end of a run that
 * was not killed it prints the names of the points it passed.
 */
const { place, killAt } = JSON.parse(process.argv[2] ?? '') as { place: FilmPlace; killAt: string | null };

const points = new KillPoints((name) => {
  if (name !== killAt) return;
  writeSync(1, JSON.stringify({ killedAt: name }));
  process.kill(process.pid, 'SIGKILL');
});
await watchEverything(points, dirname(place.projectFolder));

await runFilm(place);
writeSync(1, JSON.stringify({ points: points.reached }));
