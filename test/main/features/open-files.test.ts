import { wantedAmong } from '../../../src/main/features/files.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-open-'));
  for (const name of ['film', 'plain', 'day.csv']) mkdirSync(at(name));
  mkdirSync(at('film', '.dailies'));
  writeFileSync(at('film', '.dailies', 'project.json'), '{}');
  for (const name of ['a.csv', 'b.TSV', 'c.xlsx', 'd.mov', 'e.csv', 'f.csv', 'g.csv', '-rf.csv'])
    writeFileSync(at(name), '');
  execFileSync('mkfifo', [at('pipe.csv')]);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('what is opened from outside', () => {
  it.each([
    ['a shot list, or a folder that is a project already', ['a.csv', 'b.TSV', 'c.xlsx'], 'list'],
    ['a folder that is no project, for the person to say whether it should be one', ['plain', 'day.csv'], 'folder'],
  ])('is %s', async (_what, names, what) => {
    const wanted = names.map((name) => ({ type: 'open', what, path: at(name) }));
    const project = { type: 'open', what: 'project', path: at('film') };
    expect(await wantedAmong([...names, 'film'].map((name) => at(name)))).toEqual([...wanted, project]);
  });

  it('is the project when its own file is opened', async () => {
    expect(await wantedAmong([at('film', '.dailies', 'project.json'), at('film')])).toEqual([
      { type: 'open', what: 'project', path: at('film') },
    ]);
  });

  it('is nothing for anything else', async () => {
    const strange = [
      at('d.mov'),
      at('gone.csv'),
      at('pipe.csv'),
      at('a.csv\0.png'),
      '/dev/null',
      '/etc/passwd',
      'x'.repeat(10_000),
      '',
    ];
    expect(await wantedAmong(strange)).toEqual([]);
  });

  it('is five things at most', async () => {
    const many = ['a.csv', 'b.TSV', 'c.xlsx', 'e.csv', 'f.csv', 'g.csv', '-rf.csv'].map((name) => at(name));
    expect(await wantedAmong(many)).toHaveLength(5);
  });
});
