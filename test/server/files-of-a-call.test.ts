import { createHook, executionAsyncId } from 'node:async_hooks';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { deskWithService } from '../cli/support.ts';
import { Served } from './support.ts';

/**
 * Through how many files of ours a call passes, from the key or the words that ask for it to the statement that writes
 * it. The calls are followed as they are made, across every await: when the statement runs, each async task knows where
 * it was begun. The connection is the database: the class of its library, with our names for columns.
 */
const begun = new Map<number, { readonly parent: number; readonly files: readonly string[] }>();
const CONNECTION = 'engine/db/connection.ts';
const tasks = createHook({
  init: (id) => begun.set(id, { parent: executionAsyncId(), files: filesNow() }),
});

/** The files of `src` on the stack, the innermost first. What awaits them is found by the tasks. */
function filesNow(): string[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = 200;
  Error.prepareStackTrace = (_error, sites) => sites;
  const sites = new Error().stack as unknown as NodeJS.CallSite[];
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return sites.flatMap((site) => (site.isAsync() ? [] : (/\/src\/(.+)$/.exec(site.getFileName() ?? '')?.[1] ?? [])));
}

/** The files from the present statement back to the one in which the call began. */
function filesSince(start: string): string[] {
  const found = new Set<string>();
  let step: { readonly parent: number; readonly files: readonly string[] } | undefined;
  step = { parent: executionAsyncId(), files: filesNow() };
  for (; step; step = begun.get(step.parent)) {
    for (const file of step.files) {
      if (file !== CONNECTION) found.add(file);
      if (file === start) return [...found].sort();
    }
  }
  return [];
}

/** The files between `start` and the first statement that matches. */
async function filesBetween(start: string, statement: RegExp, call: () => Promise<unknown>): Promise<string[]> {
  const prototype = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1')) as {
    run(...given: unknown[]): unknown;
  };
  const { run } = prototype;
  let found: string[] | null = null;
  prototype.run = function (this: { readonly source: string }, ...given: unknown[]) {
    if (found === null && statement.test(this.source)) found = filesSince(start);
    return run.apply(this, given);
  };
  tasks.enable();
  try {
    await call();
  } finally {
    tasks.disable();
    begun.clear();
    prototype.run = run;
  }
  return found ?? [];
}

/** Where the window takes the key or the click, and from where it calls the engine. */
const inWindow = {
  rename: ['renderer/lib/components/RenameDialog.svelte', 'renderer/lib/act.ts'],
  star: [
    'renderer/views/review/ReviewView.svelte',
    'renderer/views/review/review-session.svelte.ts',
    'renderer/views/review/verdicts.svelte.ts',
  ],
  start: ['renderer/views/batch/draft/StartDialog.svelte'],
} as const;

describe('from the key in the window to the disk', () => {
  let served: Served;
  beforeEach(async () => {
    served = await Served.open();
    return () => served.close();
  });

  const ROUTER = 'server/router/router.ts';

  it('a batch is renamed through six files', async () => {
    const api = served.inProcess();
    const projectId = await served.saveImages(1);
    const [batch] = await api.batches.list({ projectId });
    const files = await filesBetween(ROUTER, /^UPDATE batches SET name/, () =>
      api.batches.rename({ batchId: batch?.id ?? '', name: 'Dusk' }),
    );
    expect([...inWindow.rename, ...files]).toEqual([
      ...inWindow.rename,
      'engine/commands/batches.ts',
      'engine/db/batch-store.ts',
      'engine/run-command.ts',
      ROUTER,
    ]);
  });

  it('a take gets a star through ten files at most', async () => {
    const api = served.inProcess();
    const projectId = await served.saveImages(1);
    const { takes } = await api.takes.list({ projectId, start: 0, count: 1 });
    const files = await filesBetween(ROUTER, /INTO verdicts/, () =>
      api.takes.judge({ ids: takes.map(({ id }) => id), verdict: { rating: 4 } }),
    );
    expect(files).toContain('engine/commands/takes.ts');
    expect([...inWindow.star, ...files].length).toBeLessThanOrEqual(10);
  });

  it('a list is started through ten files at most', async () => {
    const api = served.inProcess();
    const projectId = await served.saveImages(1);
    const text = 'shot,kind,model,prompt\n9,image,image-demo,A boat\n';
    const { id: draftId } = await api.drafts.open({ projectId, source: { type: 'text', name: 'c.csv', text } });
    const files = await filesBetween(ROUTER, /INTO batches/, () =>
      api.drafts.start({ draftId, name: 'c', again: false }),
    );
    expect(files).toContain('engine/commands/drafts.ts');
    expect([...inWindow.start, ...files].length).toBeLessThanOrEqual(10);
  });

  it('begins where the window calls the engine itself', () => {
    const textOf = (file: string) => readFileSync(join('src', file), 'utf8');
    expect(textOf(inWindow.rename[0])).toContain('act(command,');
    expect(textOf(inWindow.rename[1])).toContain('callFor(api, name)(input)');
    expect(textOf(inWindow.star[2])).toContain('api.takes.judge(');
    expect(textOf(inWindow.start[0])).toContain('api.drafts.start(');
  });
});

it('from the words in the terminal to the disk a batch is renamed through six files', async () => {
  const scene = await deskWithService();
  writeFileSync(scene.path('night.csv'), 'shot,kind,model,prompt\n010,image,image-demo,Red door\n');
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
  const files = await filesBetween('cli/commands/table.ts', /^UPDATE batches SET name/, () =>
    scene.run('batches', 'rename', 'night', 'Dusk', '--project', 'film'),
  );
  expect(files).toEqual([
    'cli/commands/table.ts',
    'cli/engine.ts',
    'engine/commands/batches.ts',
    'engine/db/batch-store.ts',
    'engine/run-command.ts',
    'server/router/router.ts',
  ]);
});
