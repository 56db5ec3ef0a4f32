import Database from 'better-sqlite3';
import { mkdirSync, renameSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { commandNamed, commands, namesFor } from '../../src/contract/commands/index.ts';
import { contract } from '../../src/contract/procedures.ts';
import { databaseFile } from '../../src/engine/db/open.ts';
import { still } from '../engine/db/seed.ts';
import { atEachCommit } from '../support/commits.ts';
import { changes, changingNothing, images, procedureNames, Served, type Api, asList } from './support.ts';

interface Scene {
  readonly projectId: string;
  readonly batchId: string;
  readonly takeId: string;
  /** Takes that wait in a paused queue. */
  readonly waiting: readonly string[];
  readonly ofRelease: string[];
  readonly stale: string;
  /** A take whose submit had no answer. */
  readonly unclear: string;
}

type Call = (api: Api, scene: Scene) => Promise<unknown>;

const LIST =
  'shot,kind,model,prompt,wait_for\n7,image,image-demo,A boat,\n8,image,image-demo,A pier,\n' +
  '5,image,image-demo,A gull,release\n';

/** Every procedure with a line in the history, by the line's text, in an order that one scene allows. */
const journalled: readonly (readonly [name: string, text: string, call: Call])[] = [
  ['takes.judge', 'takesJudged', changes['takes.judge']],
  ['takes.mergeReview', 'takesJudged', changes['takes.mergeReview']],
  ['takes.restore', 'verdictsUndone', changes['takes.restore']],
  ['takes.another', 'takesQueued', changes['takes.another']],
  ['takes.refresh', 'takesQueued', (api, { stale }) => api.takes.refresh({ ids: [stale] })],
  ['takes.more', 'takesQueued', changes['takes.more']],
  ['takes.trash', 'takesTrashed', changes['takes.trash']],
  ['takes.untrash', 'takesRestored', changes['takes.untrash']],
  [
    'takes.emptyTrash',
    'trashEmptied',
    async (api, { takeId }) => {
      await api.takes.trash({ ids: [takeId] });
      return api.takes.emptyTrash({ ids: [takeId] });
    },
  ],
  ['jobs.hold', 'takesHeld', (api, { waiting }) => api.jobs.hold({ ids: [...waiting], held: true })],
  ['jobs.hold', 'takesReleased', (api, { waiting }) => api.jobs.hold({ ids: waiting.slice(1), held: false })],
  ['jobs.release', 'takesWaitEnded', (api, { ofRelease: ids }) => api.jobs.release({ ids, released: true })],
  ['jobs.release', 'takesWaitRestored', (api, { ofRelease: ids }) => api.jobs.release({ ids, released: false })],
  ['jobs.retry', 'takesRetried', (api, { waiting }) => api.jobs.retry({ ids: waiting.slice(0, 1) })],
  ['jobs.prioritise', 'takesMoved', (api, { waiting }) => api.jobs.prioritise({ ids: [...waiting], priority: 3 })],
  ['jobs.withdraw', 'takesCancelled', (api, { waiting }) => api.jobs.withdraw({ ids: waiting.slice(0, 1) })],
  ['jobs.cancel', 'takesCancelled', (api, { waiting }) => api.jobs.cancel({ ids: waiting.slice(1) })],
  [
    'jobs.resolve',
    'takesDecided',
    (api, { unclear }) => api.jobs.resolve({ jobId: unclear, resolution: { action: 'lost' } }),
  ],
  ['queue.resume', 'queueResumed', (api) => api.queue.resume()],
  ['queue.pause', 'queuePaused', (api) => api.queue.pause()],
  ['agents.allow', 'agentAllowed', (api) => api.agents.allow({ session: 's', cap: { money: null, takes: 3 } })],
  ['spending.changeCap', 'capChanged', changes['spending.changeCap']],
  ['windows.change', 'windowChanged', changes['windows.change']],
  [
    'windows.startNow',
    'windowOpened',
    (api, { projectId }) => api.windows.startNow({ scope: { scope: 'project', projectId } }),
  ],
  ['batches.addShot', 'batchStarted', changes['batches.addShot']],
  [
    'drafts.start',
    'batchMerged',
    async (api, { projectId }) => {
      const source = { type: 'text', name: 'c.csv', text: LIST.replace('7', '9') } as const;
      const { id } = await api.drafts.open({ projectId, source });
      return api.drafts.start({ draftId: id, name: 'Waiting', again: false, keepOthers: true });
    },
  ],
  [
    'drafts.open',
    'batchDuplicated',
    (api, { projectId, batchId }) =>
      api.drafts.open({ projectId, source: { type: 'batch', batchId, copyAs: 'Stills 2' } }),
  ],
  ['batches.rename', 'batchRenamed', changes['batches.rename']],
  ['batches.setNotes', 'batchNoted', changes['batches.setNotes']],
  ['batches.order', 'batchesOrdered', changes['batches.order']],
  ['jobs.cancel', 'takesCancelled', (api, { projectId }) => cancelAll(api, projectId)],
  ['batches.archive', 'batchArchived', changes['batches.archive']],
  ['batches.unarchive', 'batchUnarchived', changes['batches.unarchive']],
  ['savedViews.save', 'viewSaved', changes['savedViews.save']],
  [
    'savedViews.remove',
    'viewRemoved',
    async (api, { projectId }) => {
      const [view] = await api.savedViews.list({ projectId });
      return api.savedViews.remove({ projectId, id: view?.id ?? '' });
    },
  ],
  ['cuts.save', 'cutMade', changes['cuts.save']],
  ['cuts.rename', 'cutRenamed', (api, { projectId }) => api.cuts.rename({ projectId, name: 'Cut 1', to: 'Cut 2' })],
  ['cuts.remove', 'cutRemoved', (api, { projectId }) => api.cuts.remove({ projectId, name: 'Cut 2' })],
  ['promptLibrary.setVariable', 'variableSet', changes['promptLibrary.setVariable']],
  ['promptLibrary.removeVariable', 'variableRemoved', changes['promptLibrary.removeVariable']],
  ['promptLibrary.savePreset', 'presetSaved', changes['promptLibrary.savePreset']],
  [
    'promptLibrary.renamePreset',
    'presetRenamed',
    async (api, { projectId }) => api.promptLibrary.renamePreset({ id: await presetId(api, projectId), name: 'Tall' }),
  ],
  [
    'promptLibrary.removePreset',
    'presetRemoved',
    async (api, { projectId }) => api.promptLibrary.removePreset({ id: await presetId(api, projectId) }),
  ],
  ['library.createGroup', 'groupCreated', (api) => api.library.createGroup({ name: 'Heroes' })],
  [
    'library.renameGroup',
    'groupRenamed',
    async (api) => {
      const groups = await api.library.groups({});
      const heroes = groups.find(({ name }) => name === 'Heroes');
      return api.library.renameGroup({ groupId: heroes?.id ?? '', name: 'Villains' });
    },
  ],
  ['projects.rename', 'projectRenamed', changes['projects.rename']],
  ['projects.account', 'projectAccountChanged', changes['projects.account']],
  [
    'projects.relink',
    'projectRelinked',
    async (api, { projectId }) => {
      const [{ path = '' } = {}] = await api.projects.list();
      const moved = `${path} moved`;
      renameSync(path, moved);
      return api.projects.relink({ projectId, path: moved });
    },
  ],
  ['projects.archive', 'projectArchived', changes['projects.archive']],
  ['projects.unarchive', 'projectUnarchived', (api, { projectId }) => api.projects.unarchive({ projectId })],
  ['projects.forget', 'projectForgotten', changes['projects.forget']],
  [
    'projects.open',
    'projectOpened',
    (api) => {
      mkdirSync(`${served.world.folder}/second`);
      return api.projects.open({ path: `${served.world.folder}/second`, account: 'main' });
    },
  ],
  [
    'runs.start',
    'batchStarted',
    (api) =>
      api.runs.start({
        project: `${served.world.folder}/second`,
        name: 'Night',
        listFolder: served.world.folder,
        source: 'b.csv',
        ...asList(images(1)),
        again: false,
      }),
  ],
];

/** Further procedures without a line, by the reason. */
const others: Readonly<Record<string, readonly string[]>> = {
  'edit a shot list, which keeps its own steps for undo and redo': [
    ...['reread', 'edit', 'undo', 'redo', 'name', 'discard', 'restore'].map((name) => `drafts.${name}`),
  ],
  'have lines of their own in the ledger, with their cost': [
    ...['rewrite', 'shots', 'search', 'readPage', 'describe', 'index', 'nearest'].map((name) => `tools.${name}`),
  ],
  'bring a file that a cut is saved with': ['cuts.addSound'],
  'keep their own dated list': [...['keep', 'remove', 'restore', 'picture'].map((name) => `clippings.${name}`)],
  'show a report': ['nights.reveal'],
};

let served: Served;
beforeEach(async () => {
  served = await Served.open();
  return () => served.close();
});

async function presetId(api: Api, projectId: string): Promise<string> {
  const presets = await api.promptLibrary.presets({ projectId });
  return presets[0]?.id ?? '';
}

async function cancelAll(api: Api, projectId: string): Promise<unknown> {
  const { jobs } = await api.jobs.list({ projectId, start: 0, count: 100 });
  return api.jobs.cancel({ ids: jobs.map(({ id }) => id) });
}

/** A saved take, an unclear one, a stale one, and two that wait in a paused queue. */
async function setScene(api: Api): Promise<Scene> {
  const { world } = served;
  world.fault({ method: 'POST', prompt: 'Still 2' }, { fault: 'reset', commit: true });
  await world.run(images(2), { name: 'Stills' });
  const edit = still('edit', { params: { operation: 'edit', image: 'Shot://source' } });
  await world.run([still('source'), edit], { name: 'Edits' });
  await api.takes.judge({ ids: [world.job('source').id], verdict: { flag: 'reject' } });
  await api.queue.pause();
  const projectId = world.engine.stores.projects.list()[0]?.id ?? '';
  const { id } = await api.drafts.open({ projectId, source: { type: 'text', name: 'a.csv', text: LIST } });
  await api.drafts.start({ draftId: id, name: 'Waiting', again: false });
  const { jobs } = await api.jobs.list({ projectId, start: 0, count: 100 });
  const ids = (wanted: (job: (typeof jobs)[number]) => boolean): string[] => jobs.filter(wanted).map((job) => job.id);
  const [saved] = jobs.filter(({ state }) => state === 'saved');
  const [unclear] = ids(({ state }) => state === 'submit_unknown');
  if (!saved || unclear === undefined) throw new Error('the scene is not set');
  const waiting = ids(({ state }) => state === 'ready');
  const ofRelease = ids(({ wait }) => wait === 'release');
  return {
    ...{ projectId, batchId: saved.batchId, takeId: saved.id, waiting, ofRelease, unclear },
    stale: world.job('edit').id,
  };
}

const linesOf = async (api: Api): Promise<string[]> =>
  (await api.projects.history({ count: 500 })).map(
    ({ id, text, by }) =>
      `${by} ${typeof text === 'string' || !('key' in text) ? '' : text.key} ${id} ${JSON.stringify(text)}`,
  );

/** Who acts is a fact of the connection: this is what an input that lies about it has. */
const A_LIE = { by: 'engine', actor: 'engine', caller: 'engine' };

type AnyCall = (input?: object) => Promise<unknown>;

/** The same procedures, each called with an input that says that another one acts. */
function lying(api: Api): Api {
  const nouns = Object.entries(contract).map(([noun, calls]) => {
    const own = (api as unknown as Record<string, Record<string, AnyCall>>)[noun] ?? {};
    const lies = Object.keys(calls).map((name) => [name, (input?: object) => own[name]?.({ ...input, ...A_LIE })]);
    return [noun, Object.fromEntries(lies) as object];
  });
  return Object.fromEntries(nouns) as Api;
}

/** Makes a change, and says which lines the history has since, or has counted on. */
async function linesAfter(api: Api, name: string, change: () => Promise<unknown>): Promise<string[]> {
  const before = await linesOf(api);
  await served.world.whilePumping(change()).catch((error: unknown) => {
    throw new Error(`${name} failed`, { cause: error });
  });
  return (await linesOf(api)).filter((line) => !before.includes(line));
}

/** Changes that are more than one commit, by the reason: their line is in the last one. */
const ofManyCommits: Readonly<Record<string, readonly string[]>> = {
  'takes are stored piece by piece, and none is sent before the last commit': [
    ...['batches.addShot', 'drafts.start', 'runs.start'],
  ],
  'files are moved between two commits': ['takes.trash', 'takes.untrash', 'takes.emptyTrash', 'projects.rename'],
  'the folder is taken and read first': ['projects.open', 'projects.relink'],
  'the service makes the change, which is copied and then noted': ['library.createGroup', 'library.renameGroup'],
};

/** The change is a file. */
const withoutRows = ['drafts.open'];

/** Tables of what follows from a change, or is still to be written for it. */
const FOLLOWS = new Set(['night_spans', 'limit_decisions', 'unwritten_decisions']);

/** The lines of the history, and all else that a change is, as another program finds it. */
function onDisk(db: Database.Database) {
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).pluck().all() as string[];
  const rows = (name: string): unknown[] => db.prepare(`SELECT * FROM "${name}"`).raw().all();
  const others = tables.filter((name) => name !== 'history' && !FOLLOWS.has(name));
  return { lines: JSON.stringify(rows('history')), rest: JSON.stringify(others.map((name) => [name, rows(name)])) };
}

type OnDisk = ReturnType<typeof onDisk>;

/** What a kill after each commit of a change would leave, from before it to its end. */
async function eachMoment(change: () => Promise<unknown>): Promise<OnDisk[]> {
  const db = new Database(databaseFile(served.world.dataFolder), { readonly: true });
  const moments = [onDisk(db)];
  const stop = atEachCommit(() => moments.push(onDisk(db)));
  await served.world.whilePumping(change());
  stop();
  db.close();
  return moments.filter(({ lines, rest }, at) => lines !== moments[at - 1]?.lines || rest !== moments[at - 1]?.rest);
}

const ways: readonly (readonly [way: string, actor: string, connect: () => Api | Promise<Api>])[] = [
  ['the port of a window', 'window', () => served.overPort()],
  ['a page in a browser', 'window', () => served.overHttp()],
  ['the socket of the user’s programs', 'command', () => served.overSocket()],
];

describe('the history', () => {
  it.each(ways)(
    'over %s has a line of each change by the %s, whatever its input says',
    async (_way, actor, connect) => {
      const api = lying(await connect());
      const scene = await setScene(api);
      for (const [name, text, call] of journalled) {
        // A page names no list of this machine.
        if (name === 'runs.start' && _way === 'a page in a browser') continue;
        // Commands for takes add up to one line a minute, so a line may have changed in place of a new one.
        const lines = await linesAfter(api, name, () => call(api, scene));
        expect({ name, lines }).toEqual({
          name,
          lines: expect.arrayContaining([expect.stringContaining(`${actor} history.${text} `)]) as unknown,
        });
        expect(lines.filter((line) => !line.startsWith(`${actor} `))).toEqual([]);
      }
    },
  );

  it('has the line of a change in the commit of the change: a kill leaves both or neither', async () => {
    const api = served.inProcess();
    const scene = await setScene(api);
    const apart = Object.values(ofManyCommits).flat();
    for (const [name, , call] of journalled.filter(([each]) => !withoutRows.includes(each))) {
      const [before, ...after] = await eachMoment(() => call(api, scene));
      const moments = after.map(({ lines, rest }) => ({
        isChanged: rest !== before?.rest,
        isNoted: lines !== before?.lines,
      }));
      // What follows a change, such as that its file is written, comes later; no line comes before its change.
      const changedAlone = moments.some(({ isChanged, isNoted }) => isChanged && !isNoted);
      const notedAlone = moments.some(({ isChanged, isNoted }) => isNoted && !isChanged);
      expect({ name, changedAlone, notedAlone, end: moments.at(-1) }).toEqual({
        ...{ name, changedAlone: apart.includes(name), notedAlone: false },
        end: { isChanged: true, isNoted: true },
      });
    }
    const names = new Set<string>(journalled.map(([name]) => name));
    expect([...apart, ...withoutRows].filter((name) => !names.has(name))).toEqual([]);
  });

  it('is thought of by every procedure', () => {
    const noted = journalled.map(([name]) => name);
    const known = new Set([...noted, ...Object.values(others).flat(), ...changingNothing]);
    expect(procedureNames.toSorted()).toEqual([...known].toSorted());
  });

  it('has a line of every command of the table, except of those that say why not', () => {
    const names = Object.keys(commands).flatMap((noun) => namesFor(noun as keyof typeof commands));
    const noted = names.filter((name) => journalled.some(([each]) => each === name));
    expect(noted).toEqual(names.filter((name) => commandNamed(name).log !== null));
  });
});
