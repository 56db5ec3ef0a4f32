import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTime } from '../../src/cli/options.ts';
import { nightStart } from '../../src/engine/projects/spending.ts';
import { reportName } from '../../src/server/reports/write-report.ts';
import { deskWithService, deskWithTakes } from './support.ts';

const LIST = `shot,kind,model,prompt\n${[1, 2, 3].map((shot) => `0${String(shot)}0,image,image-demo,Red door ${String(shot)}\n`).join('')}`;

describe('the end of a run', () => {
  it('leaves a report in the project, which `dailies report` tells in words and as JSON', async () => {
    const scene = await deskWithTakes(LIST);
    const [file = ''] = readdirSync(scene.path('film/reports'));
    expect(file).toMatch(/^report-\d{4}-\d{2}-\d{2}\.html$/);
    const page = readFileSync(scene.path(`film/reports/${file}`), 'utf8');
    expect(page).toContain('All 3 takes saved.');
    expect(page).toContain('data:image/webp;base64,');

    scene.stdout.text = '';
    expect(await scene.says('report', '--project', 'film')).toMatch(/^film · Night of .+\nAll 3 takes saved\./m);
    expect(scene.said).toContain('The computer was awake and connected the whole time.');
    scene.stdout.text = '';
    expect(await scene.run('report', '--since', '12h', '--json')).toBe(0);
    expect(JSON.parse(scene.stdout.text)).toMatchObject({
      ...{ type: 'report', version: 1, project: null, requests: { sent: 3, again: 0 }, awake: [], files: [] },
      since: expect.stringMatching(/^\d{4}-.+Z$/),
    });
  });

  it('writes no report through a link that was planted for it', async () => {
    const scene = await deskWithService();
    writeFileSync(scene.path('night.csv'), LIST);
    mkdirSync(scene.path('film'));
    mkdirSync(scene.path('private'));
    symlinkSync(scene.path('private'), scene.path('film/reports'));
    expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
    expect(await scene.says('report', '--project', 'film', '--html')).toContain('The report of film was not written:');
    expect(readdirSync(scene.path('private'))).toEqual([]);
  });
});

it('dailies report says that a night was empty, and which time it cannot read', async () => {
  const scene = await deskWithService();
  expect(await scene.says('report')).toContain('Nothing was queued this night.');
  expect(await scene.refuses('report', '--since', 'yesterday')).toContain('This is not a time.');
  expect(await scene.run('report', '--since', '2026-01-02', '--until', '2026-01-01')).toBe(2);
  expect(existsSync(scene.path('reports'))).toBe(false);
});

describe('a time', () => {
  const now = new Date('2026-11-23T09:00').getTime();
  it.each([
    ['12h', '2026-11-22T21:00'],
    ['3d', '2026-11-20T09:00'],
    ['90m', '2026-11-23T07:30'],
    ['last-night', '2026-11-22T12:00'],
    ['2026-11-20', '2026-11-20T00:00'],
    ['2026-11-20T18:30', '2026-11-20T18:30'],
  ])('%s is read', (text, at) => {
    expect(readTime(text, now, nightStart)).toBe(new Date(at).getTime());
  });

  it('of last night is that of yesterday after noon, too', () => {
    expect(readTime('last-night', now + 9 * 3_600_000, nightStart)).toBe(new Date('2026-11-22T12:00').getTime());
  });

  it.each(['', 'soon', '12', '12y', '2026-13-01', '2026-02-30', '2026-11-20T25:00', '2026-11-20 18:00'])(
    '%s is none',
    (text) => {
      expect(readTime(text, now, nightStart)).toBeNull();
    },
  );

  it('of a night names its page by the day it began on', () => {
    expect(reportName(nightStart(now))).toBe('report-2026-11-22.html');
  });
});
