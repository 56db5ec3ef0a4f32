import { setImmediate } from 'node:timers/promises';
import type { JobAnswers } from '../../contract/commands/jobs.ts';
import { isUnsent } from '../../contract/job.ts';
import { messageFor, type Text } from '../../contract/messages/message.ts';
import { STRETCH_MS } from '../base/slices.ts';
import type { JobAnswer } from '../jobs/job-commands.ts';
import {
  step,
  type Change,
  type CommandContext,
  type CommandFunctions,
  type OwnCommits,
  type Step,
} from './command-function.ts';

/** Most jobs in one commit: they share one sync of the database. It ends sooner where others would have to wait for it. */
const JOBS_AT_ONCE = 100;

type Name =
  | 'jobs.retry'
  | 'jobs.cancel'
  | 'jobs.withdraw'
  | 'jobs.hold'
  | 'jobs.release'
  | 'jobs.prioritise'
  | 'jobs.resolve';

export const jobs: CommandFunctions<'jobs'> = {
  async retry(context, { ids }, own) {
    const { jobCommands, jobs } = context;
    await jobCommands.lookAtFiles(ids);
    const wasCancelled = ids.every((id) => jobs.get(id)?.state.state === 'cancelled');
    return answerEach<'jobs.retry'>(context, own, {
      ids,
      ask: 'retry',
      line: (takes) => ({ facts: { takes } }),
      undo(done) {
        const isTakenBack = wasCancelled && done.every((id) => isUnsent(jobs.get(id)?.state ?? { state: 'saved' }));
        return isTakenBack ? step('jobs.withdraw', { ids: done }) : null;
      },
    });
  },

  cancel: endWith('cancel'),
  withdraw: endWith('withdraw'),

  hold: (context, { ids, held }, own) =>
    answerEach<'jobs.hold'>(context, own, {
      ids,
      ask: (id) => context.jobCommands.hold(id, held ? 'user' : null),
      line: (takes) => ({ code: held ? 'takes.held' : 'takes.released', facts: { takes } }),
      undo: (done) => step('jobs.hold', { ids: done, held: !held }),
    }),

  release: (context, { ids, released }, own) =>
    answerEach<'jobs.release'>(context, own, {
      ids,
      ask: (id) => context.jobCommands.release(id, released),
      line: (takes) => ({ code: released ? 'takes.waitEnded' : 'takes.waitRestored', facts: { takes } }),
      undo: (done) => step('jobs.release', { ids: done, released: !released }),
    }),

  prioritise(context, { ids, priority }, own) {
    const { queries, jobCommands } = context;
    const wanted = new Map(ids.map((id, at) => [id, Array.isArray(priority) ? (priority[at] ?? null) : priority]));
    const before = new Map(ids.map((id) => [id, queries.view(id)?.priority ?? null]));
    return answerEach<'jobs.prioritise'>(context, own, {
      ids,
      ask: (id) => jobCommands.prioritise(id, wanted.get(id) ?? null),
      line: (takes) => ({ facts: { takes } }),
      undo: (done) => step('jobs.prioritise', { ids: done, priority: done.map((id) => before.get(id) ?? null) }),
    });
  },

  resolve: (context, { jobId, resolution }, own) =>
    answerEach<'jobs.resolve'>(context, own, {
      ids: [jobId],
      ask: (id) => context.jobCommands.resolve(id, resolution),
      line: (takes) => ({ facts: { ...NONE_DECIDED, takes, [resolution.action]: takes } }),
      undo: () => null,
    }),
};

function endWith(ask: 'cancel' | 'withdraw'): CommandFunctions<'jobs'>['cancel'] {
  return (context, { ids }, own) =>
    answerEach<'jobs.cancel'>(context, own, {
      ...{ ids, ask },
      line: (takes) => ({ facts: { takes } }),
      undo: (done) => step('jobs.retry', { ids: done }),
    });
}

const NONE_DECIDED = { attach: 0, accept: 0, lost: 0, resubmit: 0 };

interface Asked<Each extends Name> {
  readonly ids: readonly string[];
  readonly ask: 'retry' | 'cancel' | 'withdraw' | ((jobId: string) => JobAnswer);
  readonly line: (takes: number) => Parameters<OwnCommits<Each>['note']>[0];
  readonly undo: (done: string[]) => Step | null;
}

/** One action about many jobs. Refused as a whole, before anything is done, when one of them is not there. */
async function answerEach<Each extends Name>(
  { jobs, jobCommands }: CommandContext,
  { note }: OwnCommits<Each>,
  { ids, ask, line, undo }: Asked<Each>,
): Promise<Change<Each>> {
  const wanted = [...new Set(ids)];
  jobCommands.requireKnown(wanted);
  const done: string[] = [];
  const refused: JobAnswers['refused'] = [];
  for (let start = 0; start < wanted.length; start = done.length + refused.length) {
    jobs.inOneCommit(() => {
      const answers: JobAnswer[] = [];
      const until = performance.now() + STRETCH_MS;
      for (const id of wanted.slice(start, start + JOBS_AT_ONCE)) {
        answers.push(typeof ask === 'string' ? jobCommands[ask](id) : ask(id));
        if (performance.now() > until) break;
      }
      const byProject = Map.groupBy(
        answers.filter(({ ok }) => ok),
        ({ job }) => job.projectId,
      );
      for (const [projectId, those] of byProject) note(line(those.length), { projectId });
      for (const answer of answers) {
        if (answer.ok) done.push(answer.job.id);
        else refused.push({ job: answer.job, problem: answer.problem });
      }
    });
    // Each action writes a file: not thousands at once.
    await jobCommands.written();
    await setImmediate();
  }
  const result: JobAnswers = { done: done.length, refused };
  const undone = done.length > 0 ? undo(done) : null;
  return {
    ...(done.length > 0 && line(done.length)),
    undo: undone,
    left: leftOf(refused),
    result,
  } as unknown as Change<Each>;
}

function leftOf(refused: JobAnswers['refused']): Text[] {
  return [...Map.groupBy(refused, ({ problem }) => JSON.stringify(problem)).values()].map((those) => {
    const [{ job, problem }] = those as [(typeof those)[number]];
    return those.length === 1
      ? messageFor('queue.shotProblem', { shot: job.shot, problem })
      : messageFor('common.namedTakes', { count: those.length, problem });
  });
}
