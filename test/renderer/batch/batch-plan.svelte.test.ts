import { flushSync } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Changes } from '../../../src/contract/events.ts';
import { BatchPlan } from '../../../src/renderer/views/batch/draft/batch-plan.svelte.ts';
import type { OpenDraft } from '../../../src/renderer/views/batch/draft/open-draft.svelte.ts';
import { quietChanges } from '../../support/quiet-changes.ts';

const engine = vi.hoisted(() => ({ plans: 0, listeners: new Set<(changes: Changes) => void>() }));
vi.mock('../../../src/renderer/lib/state/changes.svelte.ts', () => ({
  changeStream: {
    listen: (listener: (changes: Changes) => void) => {
      engine.listeners.add(listener);
      return () => engine.listeners.delete(listener);
    },
  },
}));
/** How long the engine takes for a plan, ms. */
const PLAN_TAKES_MS = 80;
vi.mock('../../../src/renderer/lib/client.ts', () => ({
  toTrouble: (error: Error) => ({ message: error.message, remedy: '' }),
  api: {
    batches: { list: () => Promise.resolve([]) },
    drafts: {
      plan: async ({ name }: { name: string }) => {
        engine.plans += 1;
        const newTakes = engine.plans;
        await new Promise((resolve) => setTimeout(resolve, PLAN_TAKES_MS));
        return { name, newTakes, paidAgain: null };
      },
    },
  },
}));

let stop = (): void => undefined;
beforeEach(() => {
  vi.useFakeTimers();
  engine.plans = 0;
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

it('is made while takes of the project go on changing, and again every two seconds at most', async () => {
  const draft = {
    id: 'list',
    obstacle: null,
    view: { projectId: 'film', name: 'day', isNamed: false, rows: 3, revision: 1 },
    defects: { errors: 0, isChecked: true },
    link: { isAway: false },
  };
  const plan = new BatchPlan(draft as unknown as OpenDraft);
  stop = $effect.root(() => {
    $effect(() => plan.planned.follow());
  });
  flushSync();
  const changing = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      for (const listener of engine.listeners) listener({ ...quietChanges, projects: ['film'] });
      flushSync();
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  await changing(1000);
  expect(plan.plan).toMatchObject({ name: 'day', newTakes: 1 });
  expect(plan.obstacle).toBeNull();
  await changing(4000);
  expect(plan.plan?.newTakes).toBeGreaterThan(1);
  expect(engine.plans).toBeLessThan(5);
});
