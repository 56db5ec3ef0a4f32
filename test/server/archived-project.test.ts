import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { commandNamed, commands, namesFor } from '../../src/contract/commands/index.ts';
import type { NightWindow } from '../../src/contract/night-window.ts';
import type { Clipping } from '../../src/contract/tool.ts';
import type { TrashDone } from '../../src/contract/trash.ts';
import { changes, changingNothing, procedureNames, Served, type Api, asList, images } from './support.ts';

const BATCH = 'Stills';
const finding = { url: 'https://harbour.example/', title: 'Harbours', text: 'Fog at six.', images: [] };

/** What the archived project has, by id. */
interface Scene {
  readonly projectId: string;
  readonly batchId: string;
  readonly takeId: string;
  readonly draftId: string;
  readonly presetId: string;
  readonly viewId: string;
  readonly clipping: Clipping;
}

type Call = (api: Api, scene: Scene) => Promise<unknown>;

const variable = { name: 'hero', text: 'Ada' };
const window: NightWindow = { days: ['mon'], opens: '22:00', closes: '06:00', timeZone: 'UTC' };
const verdict = { rating: 5 as const };
const model = 'text-demo';

/** Every procedure that changes something of a project. */
const changing: Readonly<Record<string, Call>> = {
  ...changes,
  'projects.open': (api) => api.projects.open({ path: served.world.projectPath }),
  'projects.relink': (api, { projectId }) => api.projects.relink({ projectId, path: served.world.projectPath }),
  'drafts.open': (api, { projectId }) =>
    api.drafts.open({ projectId, source: { type: 'text', name: 'b.csv', text: 'shot,prompt\n1,A boat\n' } }),
  'drafts.reread': (api, { draftId }) => api.drafts.reread({ draftId, read: { delimiter: ';' } }),
  'drafts.edit': (api, { draftId }) => api.drafts.edit({ draftId, revision: 0, edit: { type: 'remove', rows: [0] } }),
  'drafts.undo': (api, { draftId }) => api.drafts.undo({ draftId }),
  'drafts.redo': (api, { draftId }) => api.drafts.redo({ draftId }),
  'drafts.name': (api, { draftId }) => api.drafts.name({ draftId, name: 'Day 9' }),
  'drafts.start': (api, { draftId }) => api.drafts.start({ draftId, name: BATCH, again: false }),
  'drafts.discard': (api, { draftId }) => api.drafts.discard({ draftId }),
  'drafts.restore': (api, { projectId, draftId }) => api.drafts.restore({ projectId, draftId }),
  'runs.start': (api) =>
    api.runs.start({
      project: served.world.projectPath,
      name: BATCH,
      listFolder: served.world.folder,
      source: 'b.csv',
      ...asList(images(1)),
      again: false,
    }),
  'savedViews.remove': (api, { projectId, viewId }) => api.savedViews.remove({ projectId, id: viewId }),
  'cuts.rename': (api, { projectId }) => api.cuts.rename({ projectId, name: 'Old', to: 'New' }),
  'cuts.remove': (api, { projectId }) => api.cuts.remove({ projectId, name: 'Old' }),
  'cuts.addSound': (api, { projectId }) => api.cuts.addSound({ projectId, path: served.world.folder }),
  'windows.startNow': (api, { batchId }) => api.windows.startNow({ scope: { scope: 'batch', batchId } }),
  'promptLibrary.renamePreset': (api, { presetId }) => api.promptLibrary.renamePreset({ id: presetId, name: 'Tall' }),
  'promptLibrary.removePreset': (api, { presetId }) => api.promptLibrary.removePreset({ id: presetId }),
  'nights.reveal': (api, { projectId }) => api.nights.reveal({ projectId, night: 0 }),
  'tools.rewrite': (api, { projectId }) => api.tools.rewrite({ projectId, model, ask: 'Shorter', prompts: ['A boat'] }),
  'tools.shots': (api, { projectId }) => api.tools.shots({ projectId, model, script: 'A boat.' }),
  'tools.search': (api, { projectId }) => api.tools.search({ projectId, query: 'harbours' }),
  'tools.readPage': (api, { projectId }) => api.tools.readPage({ projectId, url: finding.url }),
  'tools.describe': (api, { takeId }) => api.tools.describe({ picture: { takeId, output: 1 }, describer: 'typo' }),
  'tools.index': (api, { projectId }) => api.tools.index({ projectId, model }),
  'tools.nearest': (api, { projectId }) => api.tools.nearest({ projectId, model, text: 'fog' }),
  'clippings.keep': (api, { projectId }) => api.clippings.keep({ projectId, askedFor: 'fog', finding }),
  'clippings.remove': (api, { projectId, clipping }) => api.clippings.remove({ projectId, id: clipping.id }),
  'clippings.restore': (api, { projectId, clipping }) => api.clippings.restore({ projectId, clipping }),
  'clippings.picture': (api, { projectId }) =>
    api.clippings.picture({ projectId, url: 'https://harbour.example/a.png' }),
};

/** Each of these answers for one job. */
const answering: Readonly<Record<string, (api: Api, ids: string[]) => Promise<{ result: { done: number } } | null>>> = {
  'jobs.retry': (api, ids) => api.jobs.retry({ ids }),
  'jobs.cancel': (api, ids) => api.jobs.cancel({ ids }),
  'jobs.withdraw': (api, ids) => api.jobs.withdraw({ ids }),
  'jobs.hold': (api, ids) => api.jobs.hold({ ids, held: true }),
  'jobs.release': (api, ids) => api.jobs.release({ ids, released: true }),
  'jobs.prioritise': (api, ids) => api.jobs.prioritise({ ids, priority: 3 }),
  'jobs.resolve': (api, [jobId = '']) => api.jobs.resolve({ jobId, resolution: { action: 'lost' } }),
};

/** Procedures that change something of one batch. */
const changingBatch: Readonly<Record<string, Call | undefined>> = {
  ...changing,
  'windows.change': (api, { batchId }) => api.windows.change({ scope: { scope: 'batch', batchId }, window }),
};
const ofBatch = [
  ...['batches.rename', 'batches.archive', 'batches.setNotes', 'runs.start', 'drafts.start'],
  ...['takes.judge', 'takes.mergeReview', 'takes.restore', 'takes.another', 'takes.refresh', 'takes.more'],
  ...['spending.changeCap', 'windows.change', 'windows.startNow'],
];

/** Each of these answers for one take that stays as it is. */
const keeping: Readonly<Record<string, (api: Api, ids: string[]) => Promise<{ readonly result: TrashDone } | null>>> = {
  'takes.trash': (api, ids) => api.takes.trash({ ids }),
  'takes.untrash': (api, ids) => api.takes.untrash({ ids }),
  'takes.emptyTrash': (api, ids) => api.takes.emptyTrash({ ids }),
};

/** What may be called for an archived project too: of the whole queue, of a session of an agent, of a service. */
const others = [
  ...['projects.unarchive', 'queue.pause', 'queue.resume', 'agents.allow'],
  ...['library.createGroup', 'library.renameGroup'],
];

let served: Served;
beforeEach(async () => {
  served = await Served.open();
  return () => served.close();
});

async function setScene(api: Api): Promise<Scene> {
  const projectId = await served.saveImages(1, BATCH);
  const { total, takes } = await api.takes.list({ projectId, start: 0, count: 5 });
  const [take] = takes;
  if (!take || total !== 1) throw new Error('there is no take');
  const source = { type: 'text', name: 'a.csv', text: 'shot,kind,model,prompt\n7,image,image-demo,A boat\n' } as const;
  const draft = await api.drafts.open({ projectId, source });
  await api.promptLibrary.setVariable({ projectId, ...variable });
  const preset = { projectId, kind: 'image', name: 'Square', cells: { size: '512x512' } } as const;
  return {
    projectId,
    batchId: take.batchId,
    takeId: take.id,
    draftId: draft.id,
    presetId: (await api.promptLibrary.savePreset(preset))?.result.id ?? '',
    viewId: (await api.savedViews.save({ projectId, name: 'All', filter: { sort: 'list' } }))?.result.id ?? '',
    clipping:
      (await api.clippings.keep({ projectId, askedFor: 'fog', finding }))?.result ?? expect.fail('nothing was kept'),
  };
}

/** Everything in the database and in the project's folder. */
function everything(): unknown {
  const tables = served.world.sql(`SELECT name FROM sqlite_master WHERE type = 'table'`) as { name: string }[];
  const files = readdirSync(served.world.projectPath, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return {
    rows: tables.map(({ name }) => [name, served.world.sql(`SELECT * FROM "${name}"`)]),
    files: files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'latin1'),
    ]),
  };
}

/** Makes a call that must be refused with this code and a remedy. */
async function expectRefused(name: string, code: string, made: Promise<unknown>): Promise<void> {
  const answer = await made.then(
    () => 'done',
    (error: unknown) => (error as { data?: unknown }).data ?? error,
  );
  expect({ name, answer }).toEqual({
    name,
    answer: expect.objectContaining({ code, remedy: expect.anything() as unknown }) as unknown,
  });
}

describe('an archived project', () => {
  it('is changed by no procedure, and each says what to do', async () => {
    const api = served.inProcess();
    const scene = await setScene(api);
    await api.projects.archive({ projectId: scene.projectId });
    await served.world.engine.batches.written();
    const was = everything();
    for (const [name, call] of Object.entries(changing)) {
      await expectRefused(name, 'project_archived', call(api, scene));
    }
    for (const [name, call] of Object.entries(answering)) {
      const answer = await call(api, [scene.takeId]);
      expect({ name, done: answer?.result.done }).toEqual({ name, done: 0 });
    }
    expect(everything()).toEqual(was);
    await api.projects.unarchive({ projectId: scene.projectId });
    await api.takes.judge({ ids: [scene.takeId], verdict });
    const { projectId } = scene;
    const lines = await api.projects.history({ projectId, count: 3 });
    const [judged, , archived] = lines;
    expect(lines.map(({ text, by }) => [typeof text === 'string' ? text : text.key, by])).toEqual([
      ['history.takesJudged', 'window'],
      ['history.projectUnarchived', 'window'],
      ['history.projectArchived', 'window'],
    ]);
    expect(await api.projects.history({ projectId, before: judged?.id, count: 2 })).toEqual(lines.slice(1));
    expect(await api.projects.history({ count: 3 })).toEqual(lines);
    expect(archived?.project).toBe((await api.projects.list())[0]?.name);
  });

  it('is thought of by every procedure', () => {
    const known = [...Object.keys(changing), ...Object.keys(answering), ...others, ...changingNothing];
    expect(procedureNames.toSorted()).toEqual(known.toSorted());
  });

  it('is what every command of the table is refused for, except those that say why not', () => {
    const names = Object.keys(commands).flatMap((noun) => namesFor(noun as keyof typeof commands));
    const refused = names.filter((name) => Object.hasOwn(changing, name));
    const expected = names.filter((name) => {
      const { touches, refusesItself } = commandNamed(name);
      return touches !== 'nothing' && touches !== 'archived project' && refusesItself === undefined;
    });
    expect(expected.filter((name) => !refused.includes(name))).toEqual([]);
  });
});

it('an archived batch is changed by no procedure, and each says what to do', async () => {
  const api = served.inProcess();
  const scene = await setScene(api);
  const ids = [scene.takeId];
  await api.takes.trash({ ids });
  await api.batches.archive({ batchId: scene.batchId });
  await api.projects.open({ path: served.world.projectPath });
  await served.world.engine.batches.written();
  const was = everything();
  for (const name of ofBatch) {
    await expectRefused(name, 'batch_archived', changingBatch[name]?.(api, scene) ?? Promise.resolve());
  }
  for (const [name, call] of Object.entries(keeping)) {
    const answer = await call(api, ids);
    expect({ name, ...answer?.result }).toMatchObject({
      takes: 0,
      reasons: [{ problem: { key: 'trash.keptArchived' } }],
    });
  }
  for (const [name, call] of Object.entries(answering)) {
    const answer = await call(api, ids);
    expect({ name, done: answer?.result.done }).toEqual({ name, done: 0 });
  }
  expect(everything()).toEqual(was);
});
