import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toVariables } from '../../../src/contract/prompt-library.ts';
import { describe, expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const file = () => join(world.projectPath, '.dailies', 'arrangement.json');
const projectId = () => world.projectId;
const batches = () => world.engine.stores.batches.list(projectId());
const idOf = (name: string) => batches().find((batch) => batch.name === name)?.id ?? '';

/** Two batches, arranged in every way that people can. */
async function arrange(): Promise<void> {
  await world.run([shot(1)], { name: 'Day 1' });
  await world.run([shot(2)], { name: 'Day 2' });
  await world.act('batches.setNotes', { batchId: idOf('Day 1'), notes: 'Too dark' });
  await world.act('batches.order', { projectId: projectId(), order: 'hand', batchIds: [idOf('Day 2'), idOf('Day 1')] });
  await world.act('batches.archive', { batchId: idOf('Day 2') });
  const filter = { sort: 'rating', batchId: idOf('Day 1'), minRating: 4 } as const;
  await world.act('savedViews.save', { projectId: projectId(), name: 'Best', filter });
  await world.act('promptLibrary.savePreset', {
    projectId: projectId(),
    kind: 'image',
    name: 'Wide',
    cells: { size: '512x512' },
  });
  await world.act('promptLibrary.setVariable', { projectId: projectId(), name: 'hero', text: 'Ada' });
}

/** Everything that was arranged, without the ids of a data folder. */
const arranged = () => ({
  notes: Object.fromEntries(views().map(({ name, notes, archivedAt }) => [name, [notes, archivedAt !== null]])),
  order: views().map(({ name }) => name),
  saved: world.engine.stores.savedViews.list(projectId()).map(({ name, filter }) => ({
    name,
    filter: { ...filter, batchId: batches().find(({ id }) => id === filter.batchId)?.name },
  })),
  presets: world.engine.stores.presets.list(projectId()).map(({ kind, name, cells }) => ({ kind, name, cells })),
  variables: world.engine.stores.variables.list(projectId()).map(({ name, text }) => ({ name, text })),
});
const views = () => world.engine.views.batches(projectId());

/** The project as a data folder sees it that knows nothing of it. */
async function openElsewhere(): Promise<readonly unknown[]> {
  return (await world.openOn('elsewhere')).problems;
}

describe('the arrangement of a project', () => {
  it('comes along in its folder to a data folder that does not know it', async () => {
    await arrange();
    const before = arranged();
    expect(before.order).toEqual(['Day 2', 'Day 1']);
    expect(await openElsewhere()).toEqual([]);
    expect(arranged()).toEqual(before);
    expect(before.saved).toEqual([{ name: 'Best', filter: { sort: 'rating', batchId: 'Day 1', minRating: 4 } }]);
  });

  it('has the texts of every project that a started list names, and no others', async () => {
    await world.start();
    const set = (name: string, text: string, of: string | null = null) =>
      world.act('promptLibrary.setVariable', { projectId: of, name, text });
    const { id } = await world.openProject();
    await set('hero', 'Ada');
    await set('place', 'the pier');
    await set('place', 'the beach', id);
    await set('unused', 'nothing');
    const start = async (text: string) => {
      const draft = await world.engine.drafts.open(id, { type: 'text', name: 'day.csv', text }, {});
      await world.engine.drafts.start(draft.id, 'Day 1', false);
    };
    await start('shot,model,prompt\n010,vgen-2.0-nt,{hero} at {place}\n');
    // Not later: a kill right after the start takes nothing away.
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({
      variables: [
        { name: 'hero', text: 'Ada', copied: true },
        { name: 'place', text: 'the beach' },
      ],
    });
    const texts = () => Object.fromEntries(toVariables(world.engine.stores.variables.list(id)));
    const listed = () =>
      world.engine.stores.variables.list(id).map(({ name, text, projectId }) => [name, text, projectId]);
    expect(listed().filter(([, , of]) => of !== null)).toEqual([['place', 'the beach', id]]);
    // It follows the text of every project for as long as that is there.
    await set('hero', 'Grace');
    expect(texts()).toMatchObject({ hero: 'Grace' });
    await openElsewhere();
    expect(texts()).toEqual({ hero: 'Grace', place: 'the beach' });
    expect(listed()).toEqual([
      ['hero', 'Grace', id],
      ['place', 'the beach', id],
    ]);
  });

  it('of a text that is another one here goes before it, until a person changes that one', async () => {
    await openElsewhere();
    const { id } = await world.openProject();
    await world.act('promptLibrary.setVariable', { projectId: null, name: 'hero', text: 'Ada' });
    await world.stop();
    const theirs = { format: 1, at: 9_000_000_000_000, variables: [{ name: 'hero', text: 'Grace', copied: true }] };
    writeFileSync(file(), JSON.stringify(theirs));
    await world.openProject();
    expect(toVariables(world.engine.stores.variables.list(id)).get('hero')).toBe('Grace');
    await world.act('promptLibrary.setVariable', { projectId: null, name: 'hero', text: 'Mary' });
    expect(toVariables(world.engine.stores.variables.list(id)).get('hero')).toBe('Mary');
    await world.pass(5000);
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ variables: [{ text: 'Mary', copied: true }] });
    await world.act('promptLibrary.removeVariable', { projectId: null, name: 'hero' });
    expect(toVariables(world.engine.stores.variables.list(id)).size).toBe(0);
  });

  it('is written soon after a change, and not again without one', async () => {
    await world.run([shot(1)], { name: 'Day 1' });
    await world.pass(5000);
    expect(existsSync(file())).toBe(false);
    await world.act('promptLibrary.setVariable', { projectId: projectId(), name: 'hero', text: 'Ada' });
    await world.pass(5000);
    const written = readFileSync(file(), 'utf8');
    expect(JSON.parse(written)).toMatchObject({ format: 1, variables: [{ name: 'hero', text: 'Ada' }] });
    await world.restart();
    await world.openProject();
    await world.pass(5000);
    expect(readFileSync(file(), 'utf8')).toBe(written);
  });

  it('is in an export that follows at once, with the verdicts given just before', async () => {
    await world.run([shot(1)], { name: 'Day 1' });
    await world.act('promptLibrary.setVariable', { projectId: projectId(), name: 'hero', text: 'Ada' });
    const takeId = world.job('0001').id;
    world.engine.review.judge([takeId], { rating: 5 });
    const into = join(world.folder, 'exports');
    mkdirSync(into);
    const copying = world.engine.projects.export(projectId(), into, { asZip: false });
    let step = await copying.next();
    while (!step.done) step = await copying.next();
    const read = (...path: string[]): unknown =>
      JSON.parse(readFileSync(join(step.value.folder, '.dailies', ...path), 'utf8'));
    expect(read('arrangement.json')).toMatchObject({ variables: [{ name: 'hero' }] });
    expect(read('takes', `${takeId}.json`)).toMatchObject({ verdict: { rating: 5 } });
  });

  it('is written by the next start when a kill came before', async () => {
    await world.run([shot(1)], { name: 'Day 1' });
    await world.act('promptLibrary.setVariable', { projectId: projectId(), name: 'hero', text: 'Ada' });
    await world.kill();
    rmSync(file());
    await world.openProject();
    await world.stop();
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ variables: [{ name: 'hero' }] });
  });

  it('of another data folder is taken over when it is newer, and takes nothing away', async () => {
    await arrange();
    await world.act('promptLibrary.setVariable', { projectId: projectId(), name: 'own', text: 'Kept' });
    await world.stop();
    const theirs = JSON.parse(readFileSync(file(), 'utf8')) as { at: number; variables: object[] };
    const change = (at: number, text: string): void =>
      writeFileSync(file(), JSON.stringify({ ...theirs, at, variables: [{ name: 'hero', text }] }));
    const texts = () =>
      Object.fromEntries(world.engine.stores.variables.list(projectId()).map((one) => [one.name, one.text]));
    change(theirs.at - 1, 'Older');
    await world.openProject();
    expect(texts()).toEqual({ hero: 'Ada', own: 'Kept' });
    await world.stop();
    change(theirs.at + 9_000_000, 'Newer');
    await world.openProject();
    expect(texts()).toEqual({ hero: 'Newer', own: 'Kept' });
  });

  it('archives no batch whose takes are unfinished', async () => {
    await arrange();
    world.engine.queue.pause();
    await world.import([shot(1), shot(3)], { name: 'Day 1' });
    await world.stop();
    const stored = readFileSync(file(), 'utf8');
    writeFileSync(
      file(),
      stored.replaceAll('"archivedAt":null', '"archivedAt":5').replace(/"at":\d+/, '"at":9000000000000'),
    );
    await world.openProject();
    expect(Object.fromEntries(views().map(({ name, archivedAt }) => [name, archivedAt !== null]))).toEqual({
      'Day 1': false,
      'Day 2': true,
    });
  });

  const wide = { kind: 'image', name: 'Wide', cells: { size: '1x1' } };
  const hostile: readonly (readonly [what: string, put: () => void])[] = [
    ['is no JSON', () => writeFileSync(file(), '{')],
    ['is nested without end', () => writeFileSync(file(), '['.repeat(2_000_000))],
    ['is too large', () => writeFileSync(file(), `{"format":1,"at":1,"x":"${'x'.repeat(17_000_000)}"}`)],
    ['is a link', () => symlinkSync('/etc/passwd', file())],
    ['is a folder', () => mkdirSync(file())],
    ['is a pipe', () => execFileSync('mkfifo', [file()])],
    ['is of a later version', () => writeFileSync(file(), '{"format":2}')],
  ];
  it.each(hostile)('that %s is reported, and the project opens', async (_what, put) => {
    await world.run([shot(1)], { name: 'Day 1' });
    await world.stop();
    rmSync(file(), { force: true });
    put();
    const { problems } = await world.openProject();
    expect(problems).toEqual([expect.saying(/arrangement\.json/)]);
  });

  it('is read as far as it makes sense', async () => {
    await world.run([shot(1)], { name: 'Day 1' });
    await world.stop();
    const many = Array.from({ length: 100_000 }, (_, index) => ({ ...wide, name: `P${index}` }));
    const content = {
      ...{ format: 1, at: 1e300, order: 'sideways' },
      batches: [
        { folder: '../..', notes: 'x' },
        { folder: 'Day 1', notes: 'Good', place: 0 },
        { folder: 'Day 1', place: 0 },
        7,
      ],
      views: [
        { name: 'evil\u202Ename', filter: {} },
        { name: 'Lost', filter: { batchId: 'nowhere' } },
        { name: 'Text', filter: { text: 'x'.repeat(501) } },
        { name: 'Fine', filter: { text: '((((' } },
        { name: 'fine', filter: { sort: 'newest' } },
      ],
      presets: [{ ...wide, name: 'line\nbreak' }, ...many],
      variables: [{ name: 'no spaces', text: 'x' }, { name: 'hero', text: 'Ada' }, null],
    };
    writeFileSync(file(), JSON.stringify(content));
    expect((await world.openProject()).problems).toEqual([]);
    const { notes, saved, presets, variables, order } = arranged();
    expect({ notes, saved, variables, order }).toEqual({
      notes: { 'Day 1': ['Good', false] },
      saved: [{ name: 'fine', filter: { sort: 'newest', batchId: undefined } }],
      variables: [{ name: 'hero', text: 'Ada' }],
      order: ['Day 1'],
    });
    expect(presets.length).toBeLessThanOrEqual(500);
    expect(presets.some(({ name }) => name.includes('\n'))).toBe(false);
  });
});
