import { noVerdict } from '../../src/contract/verdict.ts';
import { SourceStore } from '../../src/engine/db/source-store.ts';
import { ReviewStore } from '../../src/engine/db/review-store.ts';
import { seedJobs, shot } from '../../test/engine/db/seed.ts';
import { newJob } from '../../src/engine/machine/job-machine.ts';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';

const ROWS = 5000;
const MIN_ROUNDS = 5;

/** Which of 5,000 films are stale, each made from a still of its own that has two takes: half of the picks have moved. */
export const measure: MeasureRow = ({ rounds, folder }) => {
  const key = (index: number): string => `still-${String(index)}`;
  const change = (index: number) =>
    index < ROWS ? { key: key(index) } : { params: { first_frame: `Shot://${key(index - ROWS)}` } };
  const { db, batches, batch, jobIds } = seedJobs(folder, 2 * ROWS, change);
  const [sources, review] = [new SourceStore(db), new ReviewStore(db)];
  batches.inOneCommit(() => {
    for (const [index, id] of jobIds.slice(0, ROWS).entries()) {
      const [shotId, spec] = [`shot-${id}`, shot(index, { key: key(index) })];
      batches.takes.add(batch, { id: `${id}-2`, shotId, take: 2, spec, state: newJob, createdAt: 1 });
      const film = jobIds[ROWS + index] ?? '';
      const cell = `Shot://${key(index)}`;
      const source = { takeId: id, how: 'reference', parameter: 'first_frame', cell, output: 1, sha256: id } as const;
      sources.save(film, [source]);
      review.saveVerdict(index % 2 === 0 ? id : `${id}-2`, { ...noVerdict, flag: 'pick' }, true);
    }
    db.facts.exec(`UPDATE jobs SET state = 'saved'`);
  });
  const figures = Array.from({ length: Math.max(rounds, MIN_ROUNDS) + 1 }, () => {
    const all = cpuMs(() => sources.stale({ batchId: batch.id }).size);
    const found = cpuMs(() => review.ids({ projectId: batch.projectId, sort: 'list', text: 'is:stale' }).length);
    return { all, found };
  }).slice(1);
  db.close();
  const wrong = figures.flatMap(({ all, found }) => [all.count, found.count]).filter((count) => count !== ROWS / 2);
  const ms = { name: 'ms', digits: 1 };
  return Promise.resolve([
    limitOf('Which of 5,000 takes are stale: processor time', ms, spreadOf(figures.map(({ all }) => all.ms)), {
      atMost: 100,
    }),
    limitOf('… found by is:stale among 15,000', ms, spreadOf(figures.map(({ found }) => found.ms)), { atMost: 150 }),
    limitOf('… wrong answers', { name: '', digits: 0 }, spreadOf([wrong.length]), { atMost: 0 }),
  ]);
};

function cpuMs(work: () => number): { readonly count: number; readonly ms: number } {
  const start = process.cpuUsage();
  const count = work();
  const { user, system } = process.cpuUsage(start);
  return { count, ms: (user + system) / 1000 };
}
