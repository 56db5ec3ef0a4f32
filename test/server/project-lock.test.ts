import { beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import { oddDisk } from '../support/odd-disk.ts';
import { changes, Served, images, type Api, asList } from './support.ts';

/** What the project has, by id. */
interface Scene {
  readonly projectId: string;
  /** With a saved take, and one whose submit had no answer. */
  readonly batchId: string;
  readonly takeId: string;
  readonly unclear: string;
  readonly draftId: string;
}

type Call = (api: Api, scene: Scene) => Promise<unknown>;

const LIST = 'shot,kind,model,prompt\n7,image,image-demo,A boat\n8,image,image-demo,A pier\n';
/** Far longer than any of these calls takes, ms; waited for by a call alone that does not answer. */
const TIMEOUT_MS = 20_000;

const withLock = [
  ...([
    'batches.addShot',
    'takes.another',
    'takes.refresh',
    'takes.trash',
    'takes.untrash',
    'takes.emptyTrash',
  ] as const),
  ...(['batches.rename', 'batches.archive', 'projects.rename', 'projects.archive'] as const),
];

/** What makes, moves or sends takes, or changes what others read of a project: one at a time. */
const callsWithLock: Readonly<Record<string, Call>> = {
  'drafts.start': (api, { draftId }) => api.drafts.start({ draftId, name: 'Day 2', again: false }),
  'runs.start': (api) =>
    api.runs.start({
      project: served.world.projectPath,
      name: 'Day 3',
      listFolder: served.world.folder,
      source: 'b.csv',
      ...asList(images(1)),
      again: false,
    }),
  ...Object.fromEntries(withLock.map((name) => [name, changes[name]])),
};

/** What a person decides about takes, in an order that one scene allows. */
const atOnce: readonly (readonly [name: string, call: Call])[] = [
  ['jobs.hold', (api) => api.jobs.hold({ ids: waiting(), held: true })],
  ['jobs.hold', (api) => api.jobs.hold({ ids: waiting(), held: false })],
  ['jobs.prioritise', (api) => api.jobs.prioritise({ ids: waiting(), priority: 3 })],
  ['jobs.retry', (api) => api.jobs.retry({ ids: waiting() })],
  ['jobs.withdraw', (api) => api.jobs.withdraw({ ids: waiting().slice(0, 1) })],
  ['jobs.cancel', (api) => api.jobs.cancel({ ids: waiting() })],
  ['jobs.resolve', (api, { unclear }) => api.jobs.resolve({ jobId: unclear, resolution: { action: 'lost' } })],
  ['takes.judge', (api, { takeId }) => api.takes.judge({ ids: [takeId], verdict: { rating: 5 } })],
  [
    'spending.changeCap',
    (api, { batchId }) => api.spending.changeCap({ scope: { scope: 'batch', batchId }, change: { takes: 0 } }),
  ],
  [
    'windows.change',
    (api, { projectId }) => api.windows.change({ scope: { scope: 'project', projectId }, window: null }),
  ],
  ['queue.resume', (api) => api.queue.resume()],
  ['queue.pause', (api) => api.queue.pause()],
];

let served: Served;
let api: Api;
let scene: Scene;
beforeEach(async () => {
  served = await Served.open();
  api = served.inProcess();
  const { world } = served;
  world.fault({ method: 'POST', prompt: 'Still 2' }, { fault: 'reset', commit: true });
  await world.run(images(2), { name: 'Stills' });
  await api.queue.pause();
  const [saved, unclear] = world.jobs();
  if (saved?.state !== 'saved' || unclear?.state !== 'submit_unknown') throw new Error('the scene is not set');
  const { projectId, batchId } = saved;
  const draft = await api.drafts.open({ projectId, source: { type: 'text', name: 'a.csv', text: LIST } });
  scene = { projectId, batchId, takeId: saved.id, unclear: unclear.id, draftId: draft.id };
  return () => served.close();
});

const waiting = (): string[] => served.world.jobs().flatMap(({ id, state }) => (state === 'ready' ? [id] : []));

/** Has the project's lock held by a rename whose disk does not answer, until the returned function is called. */
async function holdLock(name: string): Promise<() => Promise<void>> {
  const { promise: answer, resolve: letGo } = Promise.withResolvers<undefined>();
  const { promise: reached, resolve: isReached } = Promise.withResolvers<undefined>();
  const disk = oddDisk({
    hold(call, path) {
      if (call !== 'rename' || !path.includes('/.dailies/batches/')) return null;
      isReached(undefined);
      return answer;
    },
  });
  const renaming = api.batches.rename({ batchId: scene.batchId, name });
  await reached;
  return async () => {
    letGo(undefined);
    await renaming;
    disk.lift();
  };
}

const outcomeOf = (made: Promise<unknown>): Promise<unknown> =>
  made.then(
    () => 'done',
    (error: unknown) => (error as { data?: { code?: string } }).data?.code ?? error,
  );

describe('while another call has the project to itself', () => {
  it.each(Object.entries(callsWithLock))(
    '%s waits, and is refused when the project is archived before',
    async (_name, call) => {
      await api.jobs.resolve({ jobId: scene.unclear, resolution: { action: 'lost' } });
      const release = await holdLock('Day 1');
      const archiving = api.projects.archive({ projectId: scene.projectId });
      const outcome = outcomeOf(call(api, scene));
      await served.world.rest();
      await release();
      await archiving;
      expect(await outcome).toBe('project_archived');
      expect(served.world.counts()).toMatchObject({ saved: 1, unfinished: 0 });
    },
  );

  it('a cancel, a hold and a decision are answered all the same', async () => {
    await api.drafts.start({ draftId: scene.draftId, name: 'Day 2', again: false });
    expect(waiting()).toHaveLength(2);
    const release = await holdLock('Day 1');
    for (const [name, call] of atOnce) {
      const answer = await Promise.race([outcomeOf(call(api, scene)), wait(TIMEOUT_MS, 'waits for the lock')]);
      expect({ name, answer }).toEqual({ name, answer: 'done' });
    }
    expect(served.world.counts()).toMatchObject({ cancelled: 2, unknown: 0 });
    await release();
  });
});
