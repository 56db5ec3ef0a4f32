import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import writeWorkbook from 'write-excel-file/node';
import { CliScene } from './support.ts';

it('a run names the sheets of a workbook that it does not read, unless one was chosen', async () => {
  const scene = new CliScene();
  const data = [
    ['shot', 'model', 'prompt'],
    ['001', 'vgen-2.0-nt', 'A door'],
  ];
  const sheets = ['Day 1', 'Day 2', 'Notes'].map((sheet) => ({ data, sheet }));
  writeFileSync(scene.path('film.xlsx'), await writeWorkbook(sheets).toBuffer());
  const look = ['run', 'film.xlsx', '--project', 'film', '--dry-run'];
  expect(await scene.says(...look)).toContain('film.xlsx: 1 shot (sheet Day 1; not read: Day 2, Notes, see --sheet).');
  expect(await scene.says(...look, '--sheet', 'Day 2')).toContain('film.xlsx: 1 shot (sheet Day 2).');
});
