import { ORPCError } from '@orpc/client';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Cost } from '../../../src/contract/failure.ts';
import type { Rewritten } from '../../../src/contract/tool.ts';
import { callsAbout } from '../../../src/renderer/views/batch/tools/prompt-work.svelte.ts';
import { ToolRun } from '../../../src/renderer/views/batch/tools/tool-work.svelte.ts';

interface Asked {
  readonly prompts: string[];
  readonly isAgreed: boolean;
}

const engine = vi.hoisted(() => ({
  asked: [] as unknown[],
  rewrite: (_asked: unknown, _options: { signal: AbortSignal }): Promise<unknown> => Promise.reject(new Error()),
}));
vi.mock('../../../src/renderer/lib/client.ts', () => ({
  toTrouble: (error: Error) => ({ message: error.message, remedy: '' }),
  api: {
    tools: {
      rewrite: (asked: unknown, options: { signal: AbortSignal }) => {
        engine.asked.push(asked);
        return engine.rewrite(asked, options);
      },
    },
  },
}));

const proposed = ({ prompts }: Asked): Rewritten => ({
  ...{ type: 'proposed', wasPaid: false, callId: `call ${String(engine.asked.length)}` },
  prompts: prompts.map((prompt) => [`new ${prompt}`]),
});
const failed = (cost: Cost): Rewritten => ({
  type: 'failed',
  failure: { code: 'x', message: 'It failed.', remedy: 'Look.', cost, at: 0 },
});
/** Answers the first calls one after the other, and all later ones with new prompts. */
function answer(...first: (Rewritten | Error)[]): void {
  engine.rewrite = async (asked) => {
    await Promise.resolve();
    const next = first.shift() ?? proposed(asked as Asked);
    if (next instanceof Error) throw next;
    return next;
  };
}
const asked = () => engine.asked as Asked[];

const question = { projectId: 'p', draftId: 'd', model: 'm', ask: 'Make it night', versions: 1 };
const runOf = (count: number) => {
  const sent = Array.from({ length: count }, (_none, row) => ({ text: `prompt ${String(row)}`, row }));
  return new ToolRun(callsAbout(sent, question));
};

beforeEach(() => {
  engine.asked = [];
  answer();
});

describe('a question about many prompts', () => {
  it('is asked forty prompts a call, and every answer is at its prompt', async () => {
    const run = runOf(90);
    await run.go();
    expect(asked().map(({ prompts }) => prompts.length)).toEqual([40, 40, 10]);
    expect(run.prompts[89]).toEqual(['new prompt 89']);
    expect(run.callIds).toEqual(['call 1', 'call 2', 'call 3']);
  });

  it('stops at the first call that fails, keeps what came, and asks only for the rest when it goes on', async () => {
    const run = runOf(90);
    answer(proposed({ prompts: Array.from({ length: 40 }, () => 'x'), isAgreed: false }), failed('maybe'));
    await run.go();
    expect(run).toMatchObject({ answered: 1, isAsking: false, refusal: { cost: 'maybe' } });
    expect(run.prompts.filter((each) => each === null)).toHaveLength(50);
    await run.go(true);
    expect(asked().map(({ prompts, isAgreed }) => [prompts.length, isAgreed])).toEqual([
      [40, false],
      [40, false],
      [40, true],
      // Nobody has agreed to pay for this one twice.
      [10, false],
    ]);
    expect(run).toMatchObject({ answered: 3, refusal: null });
  });

  it('sends nothing more once it is stopped, and says of no call that it failed', async () => {
    const run = runOf(90);
    engine.rewrite = (_asked, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
    const over = run.go();
    run.stop();
    await over;
    expect(asked()).toHaveLength(1);
    expect(run).toMatchObject({ refusal: null, isAsking: false });
  });

  it('says that it may be charged when the engine went away, and not when it refused', async () => {
    const run = runOf(1);
    answer(new TypeError('Failed to fetch'), new ORPCError('REFUSED', { message: 'No key is set.' }));
    await run.go();
    expect(run.refusal).toMatchObject({ cost: 'maybe', remedy: expect.stringContaining('charged') });
    await run.go();
    expect(run.refusal).toEqual({ message: 'No key is set.', remedy: '' });
  });
});
