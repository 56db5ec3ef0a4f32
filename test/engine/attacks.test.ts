import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { underAttack } from '../support/attacked.ts';
import { isNightly } from '../support/chance.ts';
import { seedFolder } from '../support/seed-folder.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dailies-attacks-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function kept(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const parts = unzipSync(await writeWorkbook([['a'], ['1']]).toBuffer());
const workbook = (rows: string): Uint8Array => {
  const sheet = `<worksheet><sheetData>${rows}</sheetData></worksheet>`;
  return zipSync({ ...parts, 'xl/worksheets/sheet1.xml': new TextEncoder().encode(sheet) }, { level: 1 });
};
const cell = (address: string): string => `<c r="${address}" t="s"><v>0</v></c>`;

/** Nested deeper than SQLite reads, as a cell of CSV. */
const deep = `"${`${'{"a":'.repeat(1100)}1${'}'.repeat(1100)}`.replaceAll('"', '""')}"`;

async function strange(name: string): Promise<string> {
  const project = join(folder, name);
  mkdirSync(project);
  await seedFolder(project, 2);
  const own = join(project, '.dailies');
  for (const file of ['project.json', 'takes/take-000000.json', 'takes/take-000001.json', 'batches/batch-1.json']) {
    const text = readFileSync(join(own, file), 'utf8').replaceAll(/"(take|attempt|batch|task)[-_]/g, `"${name}-$1-`);
    rmSync(join(own, file));
    writeFileSync(join(own, file.replace(/(take|batch)-/, `${name}-$1-`)), text.replace('"project"', `"${name}"`));
  }
  return project;
}

describe('an engine that is given what was made to harm it', () => {
  // By day, each reader's own tests show what becomes of these files.
  it.runIf(isNightly)('goes on with everything else, in bounded memory and time, and starts again', async () => {
    kept('none.png', 'no picture');
    execFileSync('mkfifo', [join(folder, 'pipe.png')]);
    const long = (row: number): string => `${'x'.repeat(17_000)}${row + 1000}`;
    const rows = Array.from({ length: 900 }, (_, row) => `${long(row)},image,m,a,${long(row)}`);
    const head = 'shot,kind,model,prompt';
    const media = ['pipe.png', 'none.png', '/dev/zero', String.raw`\\host\share\a.png`];
    const lists = [
      kept('far.xlsx', workbook(`<row r="1">${cell('A1')}</row><row r="1048576">${cell('XFD1048576')}</row>`)),
      kept('row.xlsx', workbook(`<row r="20000000">${cell('A1')}</row>`)),
      kept('deep.csv', `${head},generation_config\n1,image,m,a,${deep}\n`),
      kept('long.csv', `${head},image\n${rows.join('\n')}\n`),
      kept('media.csv', `${head},image\n${media.map((name, row) => `${row},image,m,a,${name}`).join('\n')}\n`),
    ];
    const [links, pipes] = [await strange('links'), await strange('pipes')];
    const secret = kept('secret', '{}');
    symlinkSync(secret, join(links, '.dailies', 'takes', 'link.json'));
    execFileSync('mkfifo', [
      join(pipes, '.dailies', 'takes', 'pipe.json'),
      join(pipes, '.dailies', 'arrangement.json'),
    ]);

    const { met, saved } = await underAttack({ projects: [links, pipes], lists });
    const said = met.map((each) => each.said.map((text) => text.replaceAll(`${folder}/`, '')));
    const noFile = (file: string, what: string): unknown =>
      expect.stringMatching(new RegExp(`${file}.* is ${what} where`));
    expect(said).toEqual([
      [noFile('link.json', 'a link')],
      [noFile('pipe.json', 'a pipe'), noFile('arrangement.json', 'a pipe')],
      ['Reading far.xlsx needs more memory or time than a list should.'],
      ['The list has more than 250,000 rows.'],
      expect.arrayContaining(['This JSON is nested more than 64 levels deep.']),
      expect.arrayContaining(['This text has 17,004 characters. The limit is 4,096.']),
      expect.arrayContaining([
        'pipe.png is not a file.',
        'none.png does not contain an image. It is not sent.',
        '/dev/zero is not a file.',
        expect.stringMatching(/another machine/),
      ]),
    ]);
    expect(saved).toBe(2 + 2 + 2);
  });
});
