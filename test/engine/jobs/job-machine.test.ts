import { toAttempt, toTask } from '../../../src/engine/machine/job-facts.ts';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JobState, standingFor, type JobStateName } from '../../../src/contract/job.ts';
import {
  IllegalTransitionError,
  allows,
  applyEvent,
  newJob,
  type JobEvent,
  type JobEventType,
} from '../../../src/engine/machine/job-machine.ts';
import { anyEvent, attempt, failure, oneOfEach, task } from './events.ts';

/** Which events each state takes, written down by hand from the design, apart from the code. */
const LEGAL: Record<JobStateName, readonly JobEventType[]> = {
  needs_assets: ['await_assets', 'assets_ready', 'unprepared', 'cancel'],
  ready: ['await_assets', 'postponed', 'unprepared', 'intended', 'cancel'],
  submitting: ['not_accepted', 'accepted', 'answered', 'refused', 'unclear'],
  accepted: [
    'still_running',
    'poll_failed',
    'succeeded',
    'task_failed',
    'task_cancelled',
    'cancel',
    'give_up',
    'retry',
  ],
  polling: [
    'still_running',
    'poll_failed',
    'succeeded',
    'answered',
    'task_failed',
    'task_cancelled',
    'cancel',
    'give_up',
    'retry',
  ],
  downloading: ['readdressed', 'download_delayed', 'address_expired', 'blocked', 'saved', 'cancel'],
  saved: ['files_gone'],
  submit_unknown: ['look', 'answer_found', 'answered', 'attach', 'give_up', 'resubmit'],
  rejected: ['retry'],
  remote_failed: ['retry'],
  remote_cancelled: ['retry'],
  download_blocked: ['cancel', 'give_up', 'retry'],
  result_lost: ['retry'],
  cancelled: ['retry'],
};

/** What leads on from each state: time and the steps it brings, the end of its POST, a person; `end` needs nothing more. */
const WAY_OUT: Record<JobStateName, 'time' | 'answer' | 'person' | 'end'> = {
  needs_assets: 'time',
  ready: 'time',
  submitting: 'answer',
  accepted: 'time',
  polling: 'time',
  downloading: 'time',
  saved: 'end',
  submit_unknown: 'person',
  rejected: 'person',
  remote_failed: 'person',
  remote_cancelled: 'person',
  download_blocked: 'person',
  result_lost: 'person',
  cancelled: 'person',
};

/** What a look at the folders, at kept answers or at the service's list may show of a job that nothing else leads on from. */
const FOUND: ReadonlySet<JobEventType> = new Set(['files_back', 'look', 'answer_found']);

/** Commands of a person for one job; see `JobCommands`. A kept answer is `answered` when a person accepts it. */
const OF_A_PERSON: ReadonlySet<JobEventType> = new Set([
  'cancel',
  'attach',
  'answered',
  'give_up',
  'resubmit',
  'retry',
]);

const walk = (events: readonly JobEvent[]): JobState[] => {
  const states: JobState[] = [newJob];
  for (const event of events) {
    const last = states.at(-1) as JobState;
    if (allows(last, event)) states.push(applyEvent(last, event));
  }
  return states;
};

/** A state of each name, reached by legal steps alone; one with a task where there is one. */
function reach(name: JobStateName): JobState {
  const kindOf = (state: JobState) => `${state.state}${toTask(state) ? ' of a task' : ''}`;
  const seen = new Map<string, JobState>([['ready', newJob]]);
  const queue: JobState[] = [newJob];
  for (let state = queue.shift(); state; state = queue.shift()) {
    for (const event of oneOfEach) {
      if (!allows(state, event)) continue;
      const next = applyEvent(state, event);
      if (seen.has(kindOf(next))) continue;
      seen.set(kindOf(next), next);
      queue.push(next);
    }
  }
  const found = seen.get(`${name} of a task`) ?? seen.get(name);
  if (!found) throw new Error(`no way leads to ${name}`);
  return found;
}

describe('the job machine', () => {
  it.each(Object.entries(LEGAL))('takes exactly the events of the design when a job is %s', (name, legal) => {
    const state = reach(name as JobStateName);
    const taken = oneOfEach.filter((event) => allows(state, event)).map((event) => event.type);
    expect(taken.toSorted()).toEqual([...legal].toSorted());
  });

  it.each(Object.entries(WAY_OUT))('leaves no job in %s without a way out, which is: %s', (name, way) => {
    const state = reach(name as JobStateName);
    const events = oneOfEach.filter((event) => allows(state, event));
    const byPerson = events.some(({ type }) => OF_A_PERSON.has(type));
    const byItself = events.some(({ type }) => !OF_A_PERSON.has(type));
    // A person who does not want to wait can always end it.
    if (way === 'time') expect([byItself, events.some(({ type }) => type === 'cancel')]).toEqual([true, true]);
    // Every outcome of a POST, failed steps and a dead engine included.
    if (way === 'answer')
      expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['unclear', 'refused']));
    const others = events.filter(({ type }) => !OF_A_PERSON.has(type) && !FOUND.has(type));
    if (way === 'person') expect([byPerson, others]).toEqual([true, []]);
    // A saved take asks for nothing more, but its files may be taken away.
    if (way === 'end') expect(events.map(({ type }) => type)).toEqual(['files_gone']);
  });

  it.each(Object.keys(LEGAL))('goes where the project folder says it is, also when it was %s', (name) => {
    const state = reach(name as JobStateName);
    const found: JobState = { state: 'submit_unknown', attempt: attempt(2), failure };
    const event: JobEvent = { type: 'found_in_folder', state: found };
    // Only this process knows that a request is being sent.
    if (name === 'submitting') expect(allows(state, event)).toBe(false);
    else expect(applyEvent(state, event)).toEqual(found);
  });

  it('throws on an event that does not fit and changes nothing', () => {
    const before = structuredClone(newJob);
    expect(() => applyEvent(newJob, { type: 'saved', at: 1 })).toThrow(IllegalTransitionError);
    expect(newJob).toEqual(before);
  });

  it('only ever reaches states that carry their facts', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 400 }), (events) => {
        for (const state of walk(events)) expect(JobState.safeParse(state).success).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('comes to a POST by no way but an intent, and from an unknown fate only by a decision to pay again', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 400 }), (events) => {
        let state: JobState = newJob;
        for (const event of events) {
          if (!allows(state, event)) continue;
          const next = applyEvent(state, event);
          if (next.state === 'submitting') expect([state.state, event.type]).toEqual(['ready', 'intended']);
          if (state.state === 'submit_unknown' && next.state === 'ready') expect(event.type).toBe('resubmit');
          state = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never forgets an accepted task while something may still come of it', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 400 }), (events) => {
        let state: JobState = newJob;
        for (const event of events) {
          if (!allows(state, event)) continue;
          const next = applyEvent(state, event);
          const lost = toTask(state) !== null && toTask(next) === null;
          // The one way to a new task: a person wants one in place of a task that failed, and it was asked about again.
          if (lost) {
            expect(state).toMatchObject({ state: 'polling', againAfter: failure });
            expect(event.type).toMatch(/^task_/);
          }
          state = next;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('resumes a paid result where it stopped: no retry of a job with a result or a task leads to a POST', () => {
    for (const name of ['download_blocked', 'result_lost', 'accepted', 'polling'] as const) {
      const state = { ...reach(name), task } as JobState;
      expect(applyEvent(state, { type: 'retry', at: 1, deadlineAt: 2 })).toMatchObject({ state: 'polling', task });
    }
  });

  it('asks once about a task that failed before it is made again, and follows it when it runs after all', () => {
    const retried = applyEvent(reach('remote_failed'), { type: 'retry', at: 1, deadlineAt: 2 });
    expect(retried).toMatchObject({ state: 'polling', task });
    expect(applyEvent(retried, { type: 'task_failed', failure })).toMatchObject({ state: 'ready' });
    const running = applyEvent(retried, { type: 'still_running', nextPollAt: 5, remoteStatus: 'running' });
    expect(applyEvent(running, { type: 'task_failed', failure })).toMatchObject({ state: 'remote_failed' });
  });

  it('does not offer to cancel a submit that may have been charged', () => {
    const unknown = applyEvent({ state: 'submitting', attempt: attempt(1) }, { type: 'unclear', failure });
    expect(allows(unknown, { type: 'cancel', at: 1 })).toBe(false);
    expect(toAttempt(unknown)).toEqual(attempt(1));
  });

  it('goes back to an unknown fate only from a task that was named by hand', () => {
    const event = { type: 'attached_task_not_found', failure } as const;
    expect(allows(reach('polling'), event)).toBe(false);
    const attached = { ...reach('polling'), task: { ...task, attached: true } } as JobState;
    expect(applyEvent(attached, event).state).toBe('submit_unknown');
  });

  it('is drawn in the architecture as it is', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/explanation/architecture.md'), 'utf8');
    const drawing = page.slice(page.indexOf('stateDiagram'));
    const drawn = [...drawing.matchAll(/^ {4}(\w+) --> (\w+)/gm)].map(
      ([, from, to]) => `${String(from)} --> ${String(to)}`,
    );
    const steps = Object.keys(LEGAL).flatMap((name) => {
      const state = reach(name as JobStateName);
      return oneOfEach.flatMap((event) => {
        const to = allows(state, event) ? applyEvent(state, event).state : name;
        return to === name ? [] : [{ edge: `${name} --> ${to}`, byItself: !OF_A_PERSON.has(event.type) }];
      });
    });
    expect(steps.map(({ edge }) => edge)).toEqual(expect.arrayContaining(drawn));
    expect(drawn).toEqual(expect.arrayContaining(steps.filter(({ byItself }) => byItself).map(({ edge }) => edge)));
  });

  it('counts every state in exactly one standing', () => {
    const standings = Object.keys(LEGAL).map((name) => standingFor(name as JobStateName, null));
    expect(standings).toHaveLength(14);
    expect(standingFor('polling', 'deadline')).toBe('unknown');
    expect(standingFor('submit_unknown', null)).toBe('unknown');
    expect(standingFor('remote_cancelled', null)).toBe('failed');
    expect(standingFor('cancelled', null)).toBe('cancelled');
  });
});
