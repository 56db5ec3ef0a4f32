import type { Text } from '../../src/contract/messages/message.ts';
import { isDefinedError, ORPCError } from '@orpc/client';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunProgressEvent } from '../../src/contract/run.ts';
import type { VerifyNews } from '../../src/contract/project.ts';
import type { ExportProgress } from '../../src/contract/review.ts';
import { keyFingerprint } from '../../src/engine/api/address.ts';
import { Served, type Api, asList, images } from './support.ts';

const LIST = 'shot,kind,model,prompt,duration\n010,image,image-demo,A harbour,\n020,video,vgen-2.0-nt,A boat,5\n';

const listToRun = ({ world }: Served) => ({
  project: world.projectPath,
  name: 'Day 1',
  listFolder: world.folder,
  source: 'day1.csv',
  ...asList(images(2).map((shot, index) => ({ ...shot, key: `0${index + 1}0` }))),
  again: false,
});

const wires: [name: string, connect: (served: Served) => Api | Promise<Api>][] = [
  ['a message port', (served) => served.overPort()],
  ['the private socket @night', (served) => served.overSocket()],
  ['the web host', (served) => served.overHttp()],
];

describe.each(wires)('the procedures over %s', (_name, connect) => {
  let served: Served;
  let api: Api;

  beforeEach(async () => {
    served = await Served.open();
    api = await connect(served);
    return () => served.close();
  });

  const openProject = async () => (await api.projects.open({ path: served.world.projectPath })).project;
  const openList = async (text = LIST) => {
    const project = await openProject();
    return api.drafts.open({ projectId: project.id, source: { type: 'text', name: 'day1.csv', text } });
  };
  const saveTakes = async () => {
    const draft = await openList();
    await api.drafts.start({ draftId: draft.id, name: 'Day 1', again: false });
    await served.world.settle();
    return api.takes.list({ projectId: draft.projectId, start: 0, count: 10 });
  };

  it('keep where a window was for the next one', async () => {
    expect(await api.places.last()).toBeNull();
    const place = { view: 'batch' as const, projectId: 'film', detail: { draft: 'day-1' } };
    await api.places.keep(place);
    expect(await api.places.last()).toEqual(place);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_none, index) => [String(index), '']));
    for (const detail of [{ text: 'a'.repeat(1001) }, many]) {
      await expect(api.places.keep({ ...place, detail })).rejects.toThrow();
    }
    expect(await api.places.last()).toEqual(place);
  });

  it('lead from a folder and a list to saved takes', async () => {
    const project = await openProject();
    expect(project).toMatchObject({ name: 'film', available: true, batches: 0, bytes: 0, isSample: false });
    const draft = await openList();
    expect(draft).toMatchObject({ name: 'day1', rows: 2, delimiter: ',', revision: 0, canUndo: false });
    expect(draft.columns.map(({ column }) => column)).toEqual(['shot', 'kind', 'model', 'prompt', 'duration']);
    const { revision, defects } = await api.drafts.defects({ draftId: draft.id });
    expect({ revision, errors: defects.filter(({ severity }) => severity === 'error') }).toEqual({
      revision: 0,
      errors: [],
    });

    const plan = await api.drafts.plan({ draftId: draft.id, name: 'Day 1', again: false });
    expect(plan).toMatchObject({
      added: ['010', '020'],
      changed: [],
      unchanged: 0,
      newTakes: 2,
      price: null,
      unpriced: 2,
    });
    const started = await api.drafts.start({ draftId: draft.id, name: 'Day 1', again: false });
    expect(started).toMatchObject({ newTakes: 2, batch: { name: 'Day 1', shots: 2, counts: { unfinished: 2 } } });
    await served.world.settle();

    const jobs = await api.jobs.list({ projectId: project.id, start: 0, count: 10 });
    expect(jobs).toMatchObject({ total: 2, counts: { saved: 2, unfinished: 0 } });
    expect(await api.batches.list({ projectId: project.id })).toMatchObject([{ name: 'Day 1', counts: { saved: 2 } }]);
    const [listed] = await api.projects.list();
    expect(listed).toMatchObject({ id: project.id, batches: 1, counts: { saved: 2 } });
    expect(listed?.bytes).toBeGreaterThan(0);
  });

  it('keep searches under a name, which one view has, and put back what was deleted', async () => {
    const { id: projectId } = await openProject();
    const filter = { text: 'tag:hero', sort: 'rating', group: { by: 'column', column: 'Scene' } } as const;
    const save = async (view: Parameters<typeof api.savedViews.save>[0]) => {
      const done = await api.savedViews.save(view);
      return done?.result ?? expect.fail('nothing was saved');
    };
    const hero = await save({ projectId, name: ' Hero  takes ', filter });
    expect(hero).toMatchObject({ name: 'Hero takes', filter });
    await expect(api.savedViews.save({ projectId, name: 'HERO takes', filter: {} })).rejects.toMatchObject({
      data: { code: 'view_exists' },
    });
    await expect(api.savedViews.save({ projectId, name: 'a\nb', filter: {} })).rejects.toMatchObject({
      data: { code: 'bad_view_name' },
    });
    const renamed = await save({ ...hero, name: 'hero TAKES' });
    expect(await api.savedViews.list({ projectId })).toEqual([renamed]);
    await api.savedViews.remove({ projectId, id: hero.id });
    expect(await api.savedViews.list({ projectId })).toEqual([]);
    expect(await save(hero)).toEqual(hero);
    expect(await api.savedViews.list({ projectId })).toEqual([hero]);
    expect(await api.savedViews.list({ projectId: 'another' })).toEqual([]);
  });

  it('show takes with their verdicts, and put verdicts back', async () => {
    const { total, takes } = await saveTakes();
    expect(total).toBe(2);
    const [first, second] = takes;
    if (!first || !second) throw new Error('two takes were saved');
    expect(first).toMatchObject({ shot: '010', state: 'saved', verdict: { rating: 0, flag: null, note: '' } });

    const judged = await api.takes.judge({ ids: [first.id, second.id], verdict: { rating: 4, flag: 'pick' } });
    await api.takes.judge({ ids: [second.id], verdict: { note: 'Too dark' } });
    const details = await api.takes.details({ takeId: second.id });
    expect(details.take.verdict).toEqual({ rating: 4, flag: 'pick', note: 'Too dark' });
    expect(details.recipe).toMatchObject({ takeId: second.id, shot: { key: '020' }, request: { method: 'POST' } });
    expect(details.siblings.map(({ id }) => id)).toEqual([second.id]);
    expect(details.paths.every((path) => existsSync(path))).toBe(true);

    const everything = { projectId: first.projectId };
    expect(await api.takes.tally(everything)).toEqual({ pick: 2, alternate: 0, reject: 0, none: 0 });
    expect(await api.takes.tally({ ...everything, text: 'too dark' })).toEqual({
      pick: 1,
      alternate: 0,
      reject: 0,
      none: 0,
    });

    await api.commands.undo({ token: judged?.undo ?? '' });
    const picked = await api.takes.list({ projectId: first.projectId, flag: 'pick', start: 0, count: 10 });
    expect(picked).toEqual({ total: 0, takes: [] });
  });

  it('make another take of a shot, and copy selects into a folder', async () => {
    const { takes } = await saveTakes();
    const [first] = takes;
    if (!first) throw new Error('a take was saved');
    const queued = await api.takes.another({ takeId: first.id, changes: { prompt: 'A harbour at night' } });
    expect(queued?.result).toMatchObject({
      shot: '010',
      take: 2,
      prompt: 'A harbour at night',
      standing: 'unfinished',
    });
    await served.world.settle();
    expect(served.world.job('010', 2).state).toBe('saved');

    const folder = join(served.world.folder, 'selects');
    mkdirSync(folder);
    const ids = takes.map(({ id }) => id);
    const told: ExportProgress[] = [];
    for await (const news of await api.takes.export({ ids, folder })) told.push(news);
    expect(told[0]).toMatchObject({ type: 'copied', files: 0, ofFiles: 2 });
    expect(told.at(-1)).toEqual({ type: 'done', folder, files: 2 });
    expect(readdirSync(folder).sort()).toEqual(['010_t1.png', '020_t1.mp4', 'selects.csv']);
    expect(readFileSync(join(folder, 'selects.csv'), 'utf8')).toContain('010_t1.png,film,Day 1,010,1');

    const stopped = join(served.world.folder, 'stopped');
    for await (const { type } of await api.takes.export({ ids, folder: stopped })) if (type === 'copied') break;
    while (readdirSync(stopped).length > 0) await nextTurn();
  });

  it('say which files of saved takes are not as they were, and stop at a folder that is away', async () => {
    const { takes } = await saveTakes();
    const [changed, missing] = takes;
    if (!changed || !missing) throw new Error('two takes were saved');
    const { projectId } = changed;
    const verify = async (): Promise<VerifyNews[]> => {
      const told: VerifyNews[] = [];
      for await (const news of await api.projects.verify({ projectId })) told.push(news);
      return told;
    };
    const whole = await verify();
    const { bytes } = (await api.projects.list())[0] ?? { bytes: 0 };
    expect(whole.at(-2)).toEqual({ type: 'checked', files: 2, ofFiles: 2, bytes, ofBytes: bytes });
    expect(whole.at(-1)).toEqual({ type: 'done', files: 2, bytes, emptied: 0, troubles: 0 });

    const pathOf = (file = '') => join(served.world.projectPath, file);
    const [picture, film] = [changed, missing].map(({ outputs }) => pathOf(outputs[0]?.file));
    const content = readFileSync(picture ?? '');
    content[content.length - 1] = (content.at(-1) ?? 0) ^ 1;
    writeFileSync(picture ?? '', content);
    rmSync(film ?? '');
    const found = [
      { problem: 'changed', takeId: changed.id, shot: '010', take: 1, file: changed.outputs[0]?.file },
      { problem: 'missing', takeId: missing.id, shot: '020', take: 1, file: missing.outputs[0]?.file },
    ];
    for (let time = 1; time <= 2; time += 1) {
      const news = await verify();
      expect(news.filter(({ type }) => type === 'trouble')).toMatchObject(found);
      expect(news.at(-1)).toMatchObject({ type: 'done', files: 2, troubles: 2 });
    }
    expect(served.world.job('020').state).toBe('result_lost');

    renameSync(served.world.projectPath, join(served.world.folder, 'elsewhere'));
    expect(await verify()).toMatchObject([{ type: 'failed', remedy: { key: 'remedy.chooseMovedFolder' } }]);
  });

  it('say what another take would cost before it is queued', async () => {
    await api.settings.update({ prices: [{ model: 'vgen-*', per: 'second', price: 0.5 }], currency: 'EUR' });
    const { takes } = await saveTakes();
    const takeId = takes.find(({ shot }) => shot === '020')?.id ?? '';
    expect(await api.takes.estimate({ takeId })).toMatchObject({ newTakes: 1, price: 2.5, currency: 'EUR' });
    const spent = { currency: 'EUR', charged: { requests: 2, price: 2.5, unpriced: 1 }, maybe: { requests: 0 } };
    expect(await api.takes.spent({ projectId: takes[0]?.projectId ?? '' })).toMatchObject(spent);
    const longer = await api.takes.estimate({ takeId, changes: { cells: { duration: '10' } } });
    expect(longer).toMatchObject({ price: 5, unpriced: 0 });
    const refused = api.takes.estimate({ takeId, changes: { cells: { duration: 'long' } } });
    await expect(refused).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'does_not_fit' } });
    expect((await api.takes.list({ projectId: takes[0]?.projectId ?? '', start: 0, count: 10 })).total).toBe(2);
  });

  it('edit a list, undo and redo, and refuse an edit of another list than it was thought out on', async () => {
    const { id } = await openList();
    const cells = [{ row: 1, column: 4, value: 'long' }];
    const edited = await api.drafts.edit({ draftId: id, revision: 0, edit: { type: 'cells', cells } });
    expect(edited).toMatchObject({ revision: 1, canUndo: true, canRedo: false });
    const { defects } = await api.drafts.defects({ draftId: id });
    const errors = defects.filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([{ rowIndex: 1, columnIndex: 4, column: 'duration', value: 'long' }]);

    const late = api.drafts.edit({ draftId: id, revision: 0, edit: { type: 'cells', cells } });
    await expect(late).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'draft_changed' } });
    const start = api.drafts.start({ draftId: id, name: 'Day 1', again: false });
    await expect(start).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'list_has_errors' } });

    await api.drafts.undo({ draftId: id });
    expect(await api.drafts.rows({ draftId: id, start: 1, count: 1 })).toMatchObject({
      rows: [['020', 'video', 'vgen-2.0-nt', 'A boat', '5']],
    });
    expect(await api.drafts.redo({ draftId: id })).toMatchObject({ revision: 3, canRedo: false });
  });

  it('name the takes of a list that failed, for starting it does not send them again', async () => {
    served.world.fault({ method: 'POST', prompt: 'A boat' }, { fault: 'status', status: 403 });
    await saveTakes();
    const { id } = await openList();
    const plan = await api.drafts.plan({ draftId: id, name: 'Day 1', again: false });
    expect(plan).toMatchObject({ newTakes: 0, unchanged: 2, failed: ['020'] });
    const cells = [{ row: 1, column: 3, value: 'A ship' }];
    await api.drafts.edit({ draftId: id, revision: 0, edit: { type: 'cells', cells } });
    const corrected = await api.drafts.plan({ draftId: id, name: 'Day 1', again: false });
    expect(corrected).toMatchObject({ newTakes: 1, changed: ['020'], failed: [] });
  });

  it('hold, order, cancel and count jobs', async () => {
    const draft = await openList();
    await api.drafts.start({ draftId: draft.id, name: 'Day 1', again: false });
    const { jobs } = await api.jobs.list({ standing: 'unfinished', start: 0, count: 10 });
    const ids = jobs.map(({ id }) => id);
    expect(await api.jobs.hold({ ids, held: true })).toMatchObject({ result: { done: 2, refused: [] } });
    expect((await api.jobs.get({ jobId: ids[0] ?? '' })).paused).toBe('user');
    expect(await api.jobs.prioritise({ ids, priority: 5 })).toMatchObject({ result: { done: 2 } });
    expect((await api.jobs.get({ jobId: ids[0] ?? '' })).priority).toBe(5);
    expect(await api.jobs.prioritise({ ids, priority: null })).toMatchObject({ result: { done: 2 } });
    expect((await api.jobs.get({ jobId: ids[0] ?? '' })).priority).toBe(0);
    expect(await api.jobs.cancel({ ids })).toMatchObject({ result: { done: 2 } });
    const again = await api.jobs.cancel({ ids });
    expect(again).toMatchObject({
      ...{ text: '', undo: null, left: [expect.saying(/^2 takes: .*ended or was cancelled already/) as Text] },
      result: { done: 0, refused: [{ problem: expect.saying(/ended or was cancelled already/) as Text }, {}] },
    });
    const answer = api.jobs.retry({ ids: ['nobody'] });
    await expect(answer).rejects.toMatchObject({
      code: 'REFUSED',
      data: { text: expect.saying('The job was not found.') as Text },
    });
  });

  it('show the queue, and pause and resume it', async () => {
    expect(await api.queue.view()).toMatchObject({ pausedByUser: false, running: false, keepsAwake: null });
    expect(await api.queue.pause()).toMatchObject({ undo: null });
    const paused = { pausedByUser: true, status: { gates: [{ reason: 'paused_by_user' }] } };
    expect(await api.queue.view()).toMatchObject(paused);
    expect(await api.queue.pause()).toBeNull();
    await api.queue.resume();
    expect(await api.queue.view()).toMatchObject({ pausedByUser: false, status: { gates: [] } });
  });

  it('change settings that are named and no others, and never give the key away', async () => {
    const feed = await api.events.changes();
    await feed.next();
    const changed = await api.settings.update({ appearance: 'light', concurrency: { submit: 2 } });
    expect((await feed.next()).value).toMatchObject({ settings: true });
    await feed.return?.();
    expect(changed).toMatchObject({ appearance: 'light', baseUrl: served.world.service.url });
    const state = await api.settings.setKey({ key: 'another-key', allowFile: true });
    expect(state).toEqual({ present: true, from: 'file' });
    const shown = await api.settings.get();
    expect(shown).toMatchObject({ key: { present: true }, version: '0.0.0-test' });
    expect(JSON.stringify(shown)).not.toContain('another-key');
    expect(await api.settings.exampleName({ template: '{shot}' })).toMatchObject({
      names: expect.arrayContaining(['012_harbour.mp4']) as string[],
      warning: null,
    });
    expect((await api.settings.exampleName({ template: '{model}' })).warning).saying(/Add \{shot\}/);
  });

  it('report changes, beginning with a resync', async () => {
    const feed = await api.events.changes();
    expect((await feed.next()).value).toMatchObject({ resync: true, jobs: [] });
    const draft = await openList();
    await api.drafts.start({ draftId: draft.id, name: 'Day 1', again: false });
    const { jobs } = await api.jobs.list({ start: 0, count: 1 });
    await api.jobs.hold({ ids: [jobs[0]?.id ?? ''], held: true });
    const seen: string[] = [];
    const projects = new Set<string>();
    while (!seen.includes(jobs[0]?.id ?? '')) {
      const { value, done } = await feed.next();
      if (done) throw new Error('the feed has ended');
      seen.push(...value.jobs.map((job) => job.id));
      for (const project of value.projects) projects.add(project);
      expect(value.resync).toBe(false);
    }
    expect([...projects]).toEqual([draft.projectId]);
    await feed.return?.();
  });

  it('tell by its fingerprint alone whether a key is the one in use', async () => {
    const key = served.world.service.apiKey;
    expect(await api.settings.isKey({ fingerprint: keyFingerprint(key) })).toBe(true);
    expect(await api.settings.isKey({ fingerprint: keyFingerprint('another') })).toBe(false);
    expect(await api.settings.isKey({ fingerprint: key })).toBe(false);
  });

  it('list folders and make them, and never a file', async () => {
    const home = await api.folders.list({});
    expect(home).toMatchObject({ path: served.services.host.homeFolder, folders: [], writable: true });
    const made = await api.folders.create({ parent: home.path, name: 'Film: one' });
    expect(made.path).toBe(join(home.path, 'Film_ one'));
    const world = await api.folders.list({ path: served.world.folder });
    expect(world.folders.map(({ name }) => name)).toEqual(['data', 'film', 'home']);
  });

  it('open files and folders by id, and refuse what a browser cannot do', async () => {
    expect(await api.desktop.abilities()).toMatchObject({ host: 'browser', pickFolder: false, dragOut: false });
    const { takes } = await saveTakes();
    const [first] = takes;
    if (!first) throw new Error('a take was saved');
    const { paths } = await api.desktop.paths({ ids: takes.map(({ id }) => id) });
    expect(paths.map((path) => readFileSync(path).length > 0)).toEqual([true, true]);

    await api.desktop.reveal({ takeId: first.id });
    await api.desktop.revealFolder({ projectId: first.projectId });
    await api.desktop.revealFolder({ projectId: first.projectId, batchId: first.batchId });
    const folder = join(served.world.projectPath, 'Day 1');
    expect(served.shown).toEqual(
      [folder, served.world.projectPath, folder].map((path) => ({ command: 'xdg-open', args: [path] })),
    );
    const strange = api.desktop.reveal({ takeId: '../../etc/passwd' });
    await expect(strange).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'unknown_take' } });

    await api.desktop.menu({ commands: [{ id: 'a', title: 'A', group: 'Go', enabled: true }] });
    for (const refused of [
      () => api.desktop.pickFolder({ title: 'Where?' }),
      () => api.desktop.prepareDrag({ ids: [first.id] }),
      () => api.desktop.update({ choice: 'later' }),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'only_in_the_app' } });
    }
    const { fileName, text } = await api.desktop.diagnostics();
    expect(fileName).toMatch(/^dailies-diagnostics-\d{4}-\d\d-\d\d\.txt$/);
    expect(text).toBe('All is well.\n');
    const events = await api.desktop.events();
    expect((await events.next()).value).toEqual({ type: 'update', update: { state: 'none' } });
    await events.return?.();
  });

  it('refuse with sentences for people, and hide what is inside', async () => {
    const error: unknown = await api.projects
      .relink({ projectId: 'none', path: '/' })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ORPCError);
    expect(isDefinedError(error as Error)).toBe(true);
    expect(error).toMatchObject({ code: 'REFUSED', status: 409, data: { code: 'not_a_project' } });
    const wrong = api.jobs.list({ start: -1, count: 1 });
    await expect(wrong).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

describe.each(wires.filter(([name]) => name !== 'the web host'))(
  'files named by their paths, over %s,',
  (_name, connect) => {
    let served: Served;
    let api: Api;

    beforeEach(async () => {
      served = await Served.open();
      api = await connect(served);
      return () => served.close();
    });

    it('run a list of this machine and tell every change of it, in order, to its end', async () => {
      const news = await api.runs.start(listToRun(served));
      const messages: RunProgressEvent[] = [];
      for await (const message of news) {
        messages.push(message);
        if (message.type === 'takes') void served.world.settle();
      }
      expect(messages.map(({ type }) => type).filter((type) => type !== 'events')).toEqual([
        'started',
        'takes',
        'ended',
      ]);
      const [started, takes] = messages;
      expect(started).toMatchObject({ batch: { name: 'Day 1' }, added: 2, unchanged: 0, removed: 0, newTakes: 2 });
      expect(takes).toMatchObject({ last: true, takes: [{ shot: '010' }, { shot: '020' }] });
      expect(messages.at(-1)).toEqual({ type: 'ended', end: { is: 'over' } });
      const states = messages
        .flatMap((message) => (message.type === 'events' ? message.events : []))
        .flatMap((event) => (event.type === 'job' && event.job.shot === '010' ? [event.job.state] : []));
      expect(states[0]).toBe('submitting');
      expect(states.at(-1)).toBe('saved');
      const manifest = join(served.world.projectPath, 'Day 1', 'manifest.csv');
      expect(readFileSync(manifest, 'utf8').match(/,saved,/g)).toHaveLength(2);

      const again = await api.runs.start(listToRun(served));
      expect((await again.next()).value).toMatchObject({ type: 'started', unchanged: 2, newTakes: 0 });
      await again.return?.();
      const followed: string[] = [];
      for await (const { type } of await api.runs.follow({})) followed.push(type);
      expect(followed).toEqual(['takes', 'events', 'ended']);
    });

    it('refuse a list with errors, and one that says where it is only in part', async () => {
      const [shot] = images(1);
      for (const shots of [
        '',
        '{',
        JSON.stringify({ ...shot, takes: 0 }),
        asList([...images(1), ...images(1)]).shots,
      ]) {
        const refused = api.runs.start({ ...listToRun(served), shots });
        await expect(refused).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'list_has_errors' } });
      }
      for (const change of [{ project: 'film' }, { listFolder: './lists' }]) {
        const somewhere = api.runs.start({ ...listToRun(served), ...change });
        await expect(somewhere).rejects.toMatchObject({ code: 'REFUSED', data: { code: 'bad_folder' } });
      }
      expect(await api.projects.list()).toEqual([]);
    });

    it('bring files of this machine into the library, and wait until they can be used', async () => {
      const path = join(served.world.folder, 'face.png');
      writeFileSync(
        path,
        await sharp({ create: { width: 320, height: 320, channels: 3, background: '#357' } })
          .png()
          .toBuffer(),
      );
      const missing = join(served.world.folder, 'nothing.png');
      const bringing = api.library.uploadFiles({ paths: [path, missing], target: { role: 'first_frame' } });
      const [brought, lost] = await served.world.whilePumping(bringing);
      expect(brought).toMatchObject({ ok: true, source: path, sent: true });
      expect(lost).toMatchObject({ ok: false, source: missing });
      if (!brought?.ok) throw new Error('it was brought in');
      const waiting = api.library.untilReady({ assetIds: [brought.assetId] });
      expect(await served.world.whilePumping(waiting)).toEqual({ [brought.assetId]: 'ready' });
    });
  },
);

it('trouble with the disk has a text for people, and a line in the log with the cause', async () => {
  const served = await Served.open();
  try {
    const { world } = served;
    const { id } = await world.engine.projects.open(world.projectPath);
    rmSync(world.projectPath, { recursive: true });
    const source = { type: 'text', name: 'a', text: LIST } as const;
    await expect(served.inProcess().drafts.open({ projectId: id, source })).rejects.toMatchObject({
      code: 'REFUSED',
      data: { code: 'disk', text: expect.saying('A required folder or file is missing (ENOENT).') as Text },
    });
    expect(world.log.lines.some((line) => line.startsWith('warn') && line.includes('drafts.open'))).toBe(true);
  } finally {
    await served.close();
  }
});
