import { expect, it, vi } from 'vitest';
import { jobStateNames, Standing, standingFor } from '../../../src/contract/job.ts';
import { sql } from '../../../src/engine/db/connection.ts';
import { claimFor } from '../../../src/engine/db/due-jobs.ts';
import { JobQueries } from '../../../src/engine/db/job-queries.ts';
import { TrashStore } from '../../../src/engine/db/output-store.ts';
import { seedOfTest } from './seed.ts';

it('jobs are listed by standing as each of them is shown, whatever its state and what holds it back', () => {
  const pauses = [null, 'user', 'deadline'] as const;
  const { db, jobIds } = seedOfTest(jobStateNames.length * pauses.length);
  const write = db.facts.prepare(
    `UPDATE jobs SET state = ?, paused = ?, task_id = 't', attempt_id = 'a', facts = ? WHERE id = ?`,
  );
  const wanted = jobStateNames.flatMap((state) => pauses.map((paused) => ({ state, paused })));
  wanted.forEach(({ state, paused }, index) => write.run(state, paused, JSON.stringify({ state }), jobIds[index]));
  const queries = new JobQueries(db);
  for (const standing of Standing.options) {
    const ids = jobIds.filter((_, index) => {
      const { state = 'ready', paused = null } = wanted[index] ?? {};
      return standingFor(state, paused) === standing;
    });
    expect(queries.list({ standing }).map(({ id }) => id)).toEqual(ids);
    expect(queries.list({ standing, limit: 1 }).map(({ id }) => id)).toEqual(ids.slice(0, 1));
  }
});

it('what is asked for each take that goes to the trash is answered by its index', () => {
  const { db } = seedOfTest(0);
  const asked: string[] = [];
  const prepare = db.facts.prepare.bind(db.facts);
  vi.spyOn(db.facts, 'prepare').mockImplementation((text) => {
    asked.push(text);
    return prepare(text);
  });
  const trash = new TrashStore(db);
  trash.isBeingUploaded('x');
  trash.isUploaded('x');
  trash.isShared('x', 'x');
  vi.mocked(db.facts.prepare).mockRestore();
  const stepsOf = (part: string): string => {
    const text = asked.find((each) => each.includes(part)) ?? expect.unreachable();
    const plan = prepare(`EXPLAIN QUERY PLAN ${text}`).all([...text.matchAll(/\?/g)].map(() => 'x'));
    return (plan as { detail: string }[]).map(({ detail }) => detail).join('\n');
  };
  expect(stepsOf(`state = 'intended'`)).toMatch(/INDEX uploads_being_read \(source=\?\)/);
  expect(stepsOf(`state = 'arrived'`)).toMatch(/INDEX uploads_arrived \(content=\?\)/);
  expect(stepsOf('lower(own.file)')).toMatch(/INDEX outputs_by_name \(<expr>=\?\)/);
});

it('a claim for one project reads no waiting job of another, and sorts none', () => {
  const { db } = seedOfTest(0);
  const claim = claimFor('submit', sql`id`, { now: 1, limit: 1, scope: { projectId: 'project' } });
  const plan = db.facts.all<{ detail: string }>`EXPLAIN QUERY PLAN ${claim}`;
  const steps = plan.map(({ detail }) => detail);
  expect(steps).toContain('SEARCH jobs USING INDEX jobs_to_submit_in (project_id=?)');
  expect(steps.filter((step) => step.includes('ORDER BY'))).toEqual([]);
});
