import { styleFor, guarded } from '../../src/cli/output/text.ts';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { holdTasks } from '../support/held-tasks.ts';
import { aJob, deskWithService, Page } from './support.ts';
import { PeopleReporter } from '../../src/cli/output/people.ts';
import { RunTally } from '../../src/cli/output/reporter.ts';

/** Sets the terminal's title, clears the screen, writes a line of its own, and turns the direction of what follows. */
const HOSTILE = '\u001B]0;owned\u0007\u001B[2J\u009B31m\u202Eevil\r\nFORGED saved 1 of 1\u0000\u2066';

const CONTROL = /[^\n\P{Cc}]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

/** Colours, and what redraws the progress of a run. */
const OWN = new RegExp(
  ['\\[\\d{1,2}m', '\\[\\d+A', '\\[[JK]', '\\[\\?7[lh]'].map((end) => `\r?\u001B${end}`).join('|'),
  'g',
);

/** Puts the hostile text into every text of a file of the project that may say anything. */
function poison(path: string): void {
  const texts = /^(name|folder|source|key|model|prompt|traceId|message|remedy)$/;
  const poisoned = JSON.parse(readFileSync(path, 'utf8'), (name, value: unknown) =>
    typeof value === 'string' && texts.test(name) ? value + HOSTILE : value,
  ) as object;
  writeFileSync(path, JSON.stringify(poisoned));
}

it('a project whose every text wants to command the terminal finds no control character and no line of its own in what any command prints', async () => {
  const scene = await deskWithService();
  const release = holdTasks(scene.service);
  writeFileSync(
    scene.path('night.csv'),
    'shot,kind,model,prompt\n1,image,image-demo,A door\n2,video,vgen-2.0-nt,A wall\n',
  );
  const first = scene.run('run', 'night.csv', '--project', 'film');
  await expect.poll(() => scene.service.ledger.commits).toBe(2);
  scene.interrupt();
  expect(await first).toBe(130);
  release();
  const own = scene.path('film', '.dailies');
  poison(join(own, 'project.json'));
  for (const folder of ['batches', 'takes'])
    for (const file of readdirSync(join(own, folder))) poison(join(own, folder, file));
  scene.env['DAILIES_DATA'] = scene.path('other');
  const list = `shot,kind,model,prompt,first_frame,my\n"${HOSTILE}",video,"vgen-${HOSTILE}",x,"${HOSTILE}.png",y\n`;
  writeFileSync(scene.path('hostile.csv'), list);
  writeFileSync(scene.path('small.csv'), 'shot,kind,model,prompt\n7,image,image-demo,A dome\n');

  const commands = [
    ['resume', '--project', 'film'],
    ['run', 'small.csv', '--project', 'film', '--batch', HOSTILE],
    ['status'],
    ['status', '--project', 'film'],
    ['jobs', 'list'],
    ['jobs', 'list', '--batch', HOSTILE],
    ['jobs', 'retry', HOSTILE],
    ['jobs', 'cancel', HOSTILE],
    ['jobs', 'resolve', HOSTILE, '--lost'],
    ['run', 'hostile.csv', '--project', 'film'],
    ['run', 'hostile.csv', '--project', 'film', '--dry-run'],
    ['run', 'small.csv', '--project', 'film', '--batch', HOSTILE, '--dry-run'],
    ['run', `${HOSTILE}.csv`, '--project', 'film'],
    ['run', 'small.csv', '--project', 'film', '--sheet', HOSTILE],
    ['run', 'small.csv', '--project', 'film', '--encoding', HOSTILE],
    ['doctor', '--project', 'film'],
    ['models'],
    ['assets', 'groups'],
    ['assets', 'list'],
    ['assets', 'show', HOSTILE],
    ['assets', 'group', 'create', HOSTILE],
    ['assets', 'groups'],
    ['assets', 'upload', HOSTILE],
    ['assets', 'add-url', HOSTILE],
    ['config', 'get'],
    ['config', 'get', HOSTILE],
    ['config', 'set', 'name-template', HOSTILE],
  ];
  for (const isTTY of [false, true]) {
    scene.stdout = new Page(isTTY);
    for (const command of commands) {
      await scene.run(...command);
      const said = isTTY ? scene.said.replaceAll(OWN, '') : scene.said;
      expect(said, command.slice(0, 2).join(' ')).not.toMatch(CONTROL);
      expect(said, command.slice(0, 2).join(' ')).not.toMatch(/^\s*FORGED/m);
    }
  }
});

describe('what a command prints', () => {
  it('keeps its own colours at a terminal and lets no other sequence through', () => {
    const page = new Page(true);
    const style = styleFor(page, {});
    guarded(page).write(`${style.good('ok')} a\u001B[2Jb\u001B]0;x\u0007 c\u202Ed\te\n`);
    expect(page.text).toBe(`${style.good('ok')} a[2Jb]0;x cde\n`);
  });

  it('still redraws the progress of a run', () => {
    const page = new Page(true);
    const reporter = new PeopleReporter(guarded(page), styleFor(page, {}), true);
    reporter.begin(new RunTally([aJob]), 0);
    reporter.tick(2000);
    expect(page.text).toContain('\r\u001B[K');
  });
});
