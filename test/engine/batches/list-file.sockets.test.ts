import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Drafts } from '../../../src/engine/commands/drafts.ts';
import { forEachTest, type World } from '../../support/world.ts';
import { asMedium } from '../library/media.ts';

let world: World;
let drafts: Drafts;
let projectId: string;
let folder: string;

forEachTest((opened) => (world = opened));
beforeEach(async () => {
  drafts = (await world.start()).drafts;
  projectId = (await world.openProject()).id;
  folder = join(world.folder, 'lists');
  mkdirSync(folder);
});

const openAt = (path: string) => drafts.open(projectId, { type: 'path', path }, {});
const problems = async (id: string) =>
  (await drafts.defects(id)).defects.filter(({ severity }) => severity === 'error');

describe('a list that is opened where it lies', () => {
  it('finds the local files beside it, also when it is read again another way', async () => {
    writeFileSync(join(folder, 'harbour.png'), asMedium('harbour.png', 'boat'));
    const list = join(folder, 'Day 1.csv');
    writeFileSync(list, 'shot,model,prompt,duration,first_frame\n010,vgen-2.0-nt,A boat,5,harbour.png\n');
    const draft = await openAt(list);
    expect(draft).toMatchObject({ name: 'Day 1', source: 'Day 1.csv', rows: 1 });
    expect(await problems(draft.id)).toEqual([]);
    await drafts.reread(draft.id, { encoding: 'utf-8' });
    expect(await problems(draft.id)).toEqual([]);
  });

  it.each([
    ['a relative path', () => 'list.csv', 'full path'],
    ['a file that is no list', () => '/etc/passwd', 'not a shot list'],
    ['a file that is not there', () => join(folder, 'gone.csv'), 'gone.csv was not found'],
    ['a path that ends early', () => join(folder, 'a\0.csv'), 'full path'],
    [
      'a folder with the name of a list',
      () => {
        mkdirSync(join(folder, 'b.csv'));
        return join(folder, 'b.csv');
      },
      'not a file',
    ],
    [
      'a pipe, without waiting for a writer',
      () => {
        execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
        return join(folder, 'pipe.csv');
      },
      'not a file',
    ],
    [
      'a link to a device',
      () => {
        symlinkSync('/dev/zero', join(folder, 'zero.csv'));
        return join(folder, 'zero.csv');
      },
      'not a file',
    ],
  ])('refuses %s', async (_what, path, problem) => {
    await expect(openAt(path())).rejects.toMatchObject({
      code: 'bad_list',
      text: expect.saying(new RegExp(problem)) as unknown,
    });
  });
});
