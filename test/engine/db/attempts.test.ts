import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attempt, failure, task } from '../jobs/events.ts';
import { seedJobs } from './seed.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-attempts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = {
  operation: 'videos.create',
  method: 'POST' as const,
  path: '/v1/videos',
  encoding: 'json' as const,
  body: { prompt: 'A harbour' },
  files: [],
  answers: 'task' as const,
};

describe('the journal of attempts', () => {
  it('keeps its first end, whatever we learn later', () => {
    const { db, jobs, jobIds } = seedJobs(folder, 1);
    const [id = ''] = jobIds;
    jobs.intend(jobs.get(id) as never, attempt(1), request);
    const submitting = jobs.get(id) as never;
    jobs.advance(
      submitting,
      { type: 'accepted', task: { ...task, traceId: 'trace-1' }, nextPollAt: 9, deadlineAt: 99 },
      3,
    );
    jobs.attempts.end(id, 1, { type: 'unclear', failure }, 4);
    expect(jobs.attempts.of(id)).toMatchObject([
      { outcome: 'accepted', endedAt: 3, taskId: task.id, traceId: 'trace-1' },
    ]);
    jobs.advance(jobs.get(id) as never, { type: 'task_failed', failure }, 5);
    expect(jobs.attempts.of(id)).toMatchObject([{ outcome: 'accepted', endedAt: 3, failure }]);
    db.close();
  });
});
