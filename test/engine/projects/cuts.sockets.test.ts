import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { moveClip, setEnabled, type Cut, type CutSound } from '../../../src/contract/cut.ts';
import { cutCalled, listCuts, picksAsCut, timelineOf } from '../../../src/engine/review/cuts.ts';
import { errorSaying } from '../../support/saying.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { still } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

let projectId: string;
const stores = () => world.engine.stores;
const folder = () => join(world.projectPath, '.dailies', 'cuts');
const written = (name: string) => JSON.parse(readFileSync(join(folder(), name), 'utf8')) as { at: number; cut: Cut };
const get = (name: string) => cutCalled(stores(), projectId, name);
const save = (cut: Cut, revision: string | null) => world.act('cuts.save', { projectId, cut, revision });
const undo = (done: { readonly undo: string | null } | null) => world.engine.commands.undo(done?.undo ?? '', 'window');
const idOf = (key: string, take = 1) => world.job(key, take).id;
const keys = ({ clips }: Cut) => clips.map(({ shot }) => shot.key);

beforeEach(async () => {
  await world.run([still('a', { takes: 2 }), still('b'), still('c')], { name: 'Day 1' });
  projectId = world.projectId;
  world.engine.review.judge([idOf('a', 2)], { flag: 'pick' });
  world.engine.review.judge([idOf('a')], { flag: 'alternate' });
  world.engine.review.judge([idOf('c')], { flag: 'pick' });
});

const fromPicks = () => picksAsCut(stores(), projectId, 'Cut');

describe('a cut of the picks', () => {
  it('has each shot in the order of its list, with its pick or a slate, and its alternates', async () => {
    const cut = await fromPicks();
    expect(cut.clips.map(({ shot, take, alternates }) => [shot.key, take, alternates])).toEqual([
      ['a', idOf('a', 2), [idOf('a')]],
      ['b', null, []],
      ['c', idOf('c'), []],
    ]);
    const { clips } = await timelineOf(stores(), projectId, cut);
    expect(clips.map(({ shot, media }) => [shot.batch, shot.key, media?.name ?? null])).toEqual([
      ['Day 1', 'a', 'a_t2.png'],
      ['Day 1', 'b', null],
      ['Day 1', 'c', 'c_t1.png'],
    ]);
    expect(clips[1]?.shot.text).toContain('b');
  });

  it('leaves out stills that other rows start from, and lists the oldest batch first', async () => {
    const film = { kind: 'video', model: 'vgen-2.0-nt' } as const;
    const started = still('film', { ...film, params: { duration: 5, image: 'Shot://still' } });
    await world.run([still('still'), started], { name: 'Day 2' });
    expect(keys(await fromPicks())).toEqual(['a', 'b', 'c', 'film']);
  });

  it('shows a slate where a file is gone or a take is in the trash', async () => {
    const cut = await fromPicks();
    await world.act('takes.trash', { ids: [idOf('a')] });
    rmSync(join(world.projectPath, stores().outputs.outputs(idOf('c'))[0]?.file ?? ''));
    const { clips } = await timelineOf(stores(), projectId, cut);
    expect(clips.map(({ media, alternates }) => [media?.name, alternates.length])).toEqual([
      ...[
        ['a_t2.png', 0],
        [undefined, 0],
        [undefined, 0],
      ],
    ]);
  });
});

describe('a change of a cut', () => {
  it('is one step that is undone and redone, and is refused where another one came first', async () => {
    const made = await save(await fromPicks(), null);
    const first = get('Cut');
    expect(made?.result).toEqual({ name: 'Cut', revision: first.revision });
    const moved = await save(moveClip(first.cut, '3', 0), first.revision);
    expect(keys(get('Cut').cut)).toEqual(['c', 'a', 'b']);
    await expect(save(setEnabled(first.cut, ['1'], false), first.revision)).rejects.toThrow(
      errorSaying(/changed since/),
    );
    const undone = await undo(moved);
    expect(get('Cut')).toEqual(first);
    await undo(undone);
    expect(keys(get('Cut').cut)).toEqual(['c', 'a', 'b']);
    await expect(undo(made)).rejects.toThrow(errorSaying(/changed since/));
    expect(await save(get('Cut').cut, get('Cut').revision)).toBeNull();
  });

  it('can rename and delete it, which can be undone', async () => {
    await save(await fromPicks(), null);
    const before = get('Cut');
    const renamed = await world.act('cuts.rename', { projectId, name: 'Cut', to: '  夜 / ночь ' });
    expect(listCuts(stores(), projectId).map(({ name }) => name)).toEqual(['夜 / ночь']);
    await undo(renamed);
    const removed = await world.act('cuts.remove', { projectId, name: 'Cut' });
    expect(listCuts(stores(), projectId)).toEqual([]);
    await undo(removed);
    expect(get('Cut')).toEqual(before);
  });

  it('never gives two cuts one file', async () => {
    const cut = await fromPicks();
    await save({ ...cut, name: 'a/b' }, null);
    for (const name of ['A_B', 'a/b', '', 'a\nb']) await expect(save({ ...cut, name }, null)).rejects.toThrow();
    await expect(world.act('cuts.rename', { projectId, name: 'none', to: 'x' })).rejects.toThrow(
      errorSaying(/not found/),
    );
  });
});

describe('the folder of a project', () => {
  it('has its cuts soon, under their present names, and brings them to another data folder', async () => {
    await save(await fromPicks(), null);
    await world.pass(5000);
    expect(written('Cut.json').cut).toEqual(get('Cut').cut);
    await world.act('cuts.rename', { projectId, name: 'Cut', to: 'cut' });
    await save({ ...(await fromPicks()), name: 'Second' }, null);
    await world.act('cuts.remove', { projectId, name: 'Second' });
    const before = get('cut');
    await world.openOn('elsewhere');
    expect(readdirSync(folder())).toEqual(['cut.json']);
    expect(get('cut')).toEqual(before);
  });

  it('is read where it is newer, and a cut that was deleted here does not come back', async () => {
    await save(await fromPicks(), null);
    await world.stop();
    const theirs = written('Cut.json');
    const change = (at: number) =>
      writeFileSync(join(folder(), 'Cut.json'), JSON.stringify({ ...theirs, at, cut: moveClip(theirs.cut, '3', 0) }));
    change(theirs.at);
    await world.openProject();
    expect(keys(get('Cut').cut)).toEqual(['a', 'b', 'c']);
    await world.stop();
    change(theirs.at + 1);
    await world.openProject();
    expect(keys(get('Cut').cut)).toEqual(['c', 'a', 'b']);
    await world.act('cuts.remove', { projectId, name: 'Cut' });
    await world.stop();
    expect(existsSync(join(folder(), 'Cut.json'))).toBe(false);
    change(theirs.at + 1);
    await world.openProject();
    expect(listCuts(stores(), projectId)).toEqual([]);
  });

  it('may hold anything: what is no cut of its name is reported or left alone', async () => {
    const good = await fromPicks();
    await world.stop();
    mkdirSync(folder(), { recursive: true });
    const put = (name: string, content: unknown) => writeFileSync(join(folder(), name), JSON.stringify(content));
    put('list.json', [1]);
    put('other.json', { format: 1, at: 1, cut: { ...good, name: 'Cut' } });
    put('long.json', { format: 1, at: 1, cut: { ...good, name: 'long', clips: Array(6000).fill(good.clips[0]) } });
    put('later.json', { format: 2, at: 1, cut: good });
    writeFileSync(
      join(world.folder, 'secret.json'),
      JSON.stringify({ format: 1, at: 1, cut: { ...good, name: 'link' } }),
    );
    symlinkSync(join(world.folder, 'secret.json'), join(folder(), 'link.json'));
    const { problems } = await world.openProject();
    expect(problems).toHaveLength(4);
    expect(listCuts(stores(), projectId)).toEqual([]);
  });
});

describe('a sound file', () => {
  /** Half a second of silence, 8 kHz in 16 bits. */
  const wav = (): Buffer => {
    const head = Buffer.alloc(44);
    const data = Buffer.alloc(8000);
    head.write('RIFF', 0);
    head.writeUInt32LE(36 + data.length, 4);
    head.write('WAVEfmt ', 8);
    for (const [value, at] of [
      [16, 16],
      [8000, 24],
      [16_000, 28],
      [data.length, 40],
    ] as const)
      head.writeUInt32LE(value, at);
    for (const [value, at] of [
      [1, 20],
      [1, 22],
      [2, 32],
      [16, 34],
    ] as const)
      head.writeUInt16LE(value, at);
    head.write('data', 36);
    return Buffer.concat([head, data]);
  };
  const add = (path: string) => world.act('cuts.addSound', { projectId, path });

  it('is copied into the project once, and is music of a cut', async () => {
    const path = join(world.folder, 'song.wav');
    writeFileSync(path, wav());
    const sound = (await add(path)) as unknown as CutSound;
    expect(sound.facts).toMatchObject({ seconds: 0.5, channels: 1, sampleRate: 8000 });
    expect(await add(path)).toEqual(sound);
    expect(readdirSync(join(world.projectPath, '.dailies', 'music'))).toEqual([`${sound.sha256}.wav`]);
    const cut = { ...(await fromPicks()), rate: { num: 1000, den: 1 } };
    const once = { ...cut, music: [{ id: '1', source: sound, gain: 0 }] };
    const { music } = await timelineOf(stores(), projectId, once);
    const media = { name: 'song.wav', format: 'wav', music: sound.sha256, facts: sound.facts };
    // No longer than it is, however long the pictures are.
    expect(music).toMatchObject([{ start: 0, length: 500, media }]);
  });

  it('is refused where it is none, or not whole', async () => {
    const bad = { 'text.wav': Buffer.from('hello'), 'cut.wav': wav().subarray(0, 200), 'empty.wav': Buffer.alloc(0) };
    for (const [name, content] of Object.entries(bad)) writeFileSync(join(world.folder, name), content);
    for (const name of [...Object.keys(bad), 'none.wav', '.']) {
      await expect(add(join(world.folder, name))).rejects.toThrow(errorSaying(/cannot be used as music/));
    }
    expect(existsSync(join(world.projectPath, '.dailies', 'music'))).toBe(false);
  });
});
