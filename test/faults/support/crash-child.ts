import { writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KillPoints, loseUnsyncedCommits, watchEverything } from './kill-points.ts';
import { runFilm, type FilmPlace } from './sample-film.ts';

/**
 * One run of the film, in a process of its own that ends itself with SIGKILL at a given point. At the end of a run that
 * was not killed it prints the names of the points it passed.
 */
interface ChildOrder {
  readonly place: FilmPlace;
  readonly killAt: string | null;
  /** The machine loses power with it. */
  readonly cutsPower?: boolean;
}

const { place, killAt, cutsPower = false } = JSON.parse(process.argv[2] ?? '') as ChildOrder;

const points = new KillPoints((name) => {
  if (name !== killAt) return;
  if (cutsPower) loseUnsyncedCommits();
  writeSync(1, JSON.stringify({ killedAt: name }));
  process.kill(process.pid, 'SIGKILL');
});
await watchEverything(points, dirname(place.projectFolder));

await runFilm(place);
writeSync(1, JSON.stringify({ points: points.reached }));
