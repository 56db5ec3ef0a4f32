import { describe, expect, it } from 'vitest';
import { windowGate } from '../../../src/engine/jobs/night-windows.ts';
import { GroupedJobs } from '../../../src/renderer/views/queue/rows/grouped-jobs.ts';
import { expectedAt, Pace } from '../../../src/renderer/views/queue/rows/pace.ts';
import { aJob } from './jobs.ts';

const NOW = 100_000;

describe('when a take is done', () => {
  it('is told by what the engine has learned of the service', () => {
    const pace = new Pace();
    const begun = aJob({ id: 'new', state: 'submitting', updatedAt: 50_000 });
    pace.note(aJob({ id: 'new' }), begun, NOW);
    const { lists } = new GroupedJobs();
    expect(expectedAt(begun, { lists, pace, taskTime: () => 7000 }, null)).toBe(57_000);
    expect(expectedAt(begun, { lists, pace, taskTime: () => null }, null)).toBeNull();
  });

  it('is not told for a take that began before anybody looked', () => {
    const pace = new Pace();
    const polled = aJob({ id: 'old', state: 'polling', updatedAt: 50_000 });
    pace.watch([polled], NOW);
    const jobs = new GroupedJobs();
    jobs.put([polled]);
    expect(pace.startOf('old')).toEqual({ at: 50_000, exact: false });
    expect(expectedAt(polled, { lists: jobs.lists, pace, taskTime: () => 7000 }, null)).toBeNull();
  });

  it('comes in the order of the line, the last one at the end of it all', () => {
    const pace = new Pace();
    const jobs = new GroupedJobs();
    const line = ['a', 'b', 'c'].map((id) => aJob({ id }));
    jobs.put(line);
    const end = Date.now() + 300_000;
    const times = line.map((job) => expectedAt(job, { lists: jobs.lists, pace }, end) ?? 0);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(Math.abs((times[2] ?? 0) - end)).toBeLessThan(1000);
  });

  it('is not before the night window of its project opens', () => {
    const line = [aJob({ id: 'a' }), aJob({ id: 'b', projectId: 'another' })] as const;
    const jobs = new GroupedJobs();
    jobs.put(line);
    const opens = Date.now() + 3_600_000;
    const gate = windowGate(
      {
        scope: { scope: 'project', projectId: line[0].projectId },
        window: { days: ['mon'], opens: '22:00', closes: '07:00', timeZone: 'UTC' },
        isOpen: false,
        isEarly: false,
        changedAt: null,
        changesAt: opens,
      },
      'Film',
    );
    const times = { lists: jobs.lists, pace: new Pace(), gates: [gate] };
    expect(expectedAt(line[0], times, opens + 10_000)).toBeGreaterThan(opens);
    expect(expectedAt(line[1], times, Date.now() + 10_000)).toBeLessThan(opens);
  });

  it('is not shown for takes that are held back, nor while no take is saved', () => {
    const pace = new Pace();
    const jobs = new GroupedJobs();
    const held = aJob({ id: 'a', paused: 'user' });
    jobs.put([held, aJob({ id: 'b' })]);
    expect(expectedAt(held, { lists: jobs.lists, pace }, Date.now() + 1000)).toBeNull();
    expect(expectedAt(aJob({ id: 'b' }), { lists: jobs.lists, pace }, null)).toBeNull();
  });
});
