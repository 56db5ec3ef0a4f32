import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliScene, typed } from '../cli/support.ts';
import {
  ACCOUNT,
  batchOf,
  hasPostgres,
  newStudio,
  requestFor,
  takesOf,
  type TestStudio,
  unlimited,
} from '../support/studio.ts';
import type { HeldTake } from '../../src/studio/types.ts';

describe.runIf(hasPostgres)('dailies studio', () => {
  let studio: TestStudio;
  beforeEach(async () => {
    studio = await newStudio();
  });
  afterEach(() => studio.close());
  const urlFor = (login: string) => studio.addressFor(login).text;

  it('makes a studio, lets people join it, and shows who is there', async () => {
    await studio.query('DROP SCHEMA dailies CASCADE');
    await studio.query('DROP SCHEMA dailies_boss CASCADE');
    const scene = new CliScene();
    expect(await scene.refuses('studio', 'status')).toContain('No studio is set up on this machine.');
    expect(await scene.refuses('studio', 'join', 'anna', '--postgres', urlFor('anna'))).toContain('has no studio');
    expect(await scene.says('studio', 'init', '--postgres', urlFor('postgres'))).toContain('The studio was made at');
    expect(await scene.lists('studio', 'init', '--postgres', urlFor('postgres'))).toMatchObject([
      { type: 'studio', before: 2 },
    ]);
    expect(await scene.says('studio', 'people')).toContain('Nobody has joined');

    const annas = new CliScene();
    const [joined] = await annas.lists('studio', 'join', 'anna', '--name', 'edit 1', '--postgres', urlFor('anna'));
    expect(joined).toMatchObject({ type: 'joined', person: 'anna', machine: 'edit 1' });
    expect(await annas.says('studio', 'status')).toMatch(/edit 1 +anna +working/);
    expect(await scene.says('studio', 'people', 'anna', '--weight', '3')).toMatch(/anna +3 /);
    expect(await annas.refuses('studio', 'people', 'anna', '--weight', '9')).toContain('no right');
    expect(await annas.refuses('studio', 'people', 'anna')).toContain('A weight needs a person');
  });

  it('sets and shows budgets', async () => {
    const scene = new CliScene();
    scene.env['DAILIES_STUDIO'] = urlFor('postgres');
    const anna = await studio.machine('anna');
    await anna.enqueue(batchOf(), takesOf(1));
    expect(await scene.says('studio', 'budget')).toContain('No budgets are set.');
    expect(await scene.lists('studio', 'budget', '--night', '--max-takes', '50', '--max-spend', '12.5')).toMatchObject([
      { type: 'budget', scope: 'night', maxTakes: 50, maxSpend: 12.5, takes: 0, spent: 0 },
    ]);
    expect(await scene.says('studio', 'budget', '--project', 'film', '--max-takes', '9')).toContain(
      'Project “film”: 0 of 9 takes',
    );
    expect(await scene.says('studio', 'budget', '--person', 'anna', '--max-takes', '7')).toContain(
      'Person “anna”: 0 of 7 takes',
    );
    expect(await scene.says('studio', 'budget', '--night', '--remove')).not.toContain('Night');
    expect(await scene.refuses('studio', 'budget', '--max-takes', '7')).toContain('Name a person');
    expect(await scene.refuses('studio', 'budget', '--person', 'anna')).toContain('Name a person');
    expect(await scene.refuses('studio', 'budget', '--project', 'none', '--max-takes', '1')).toContain(
      'no project none',
    );
  });

  it('sets the rate of an account for all machines', async () => {
    const scene = new CliScene();
    scene.env['DAILIES_STUDIO'] = urlFor('postgres');
    expect(await scene.refuses('studio', 'rate', 'main', '--submits', '2')).toContain('no account main');
    await (await studio.machine('anna')).enqueue(batchOf(), takesOf(1));
    const [account] = await scene.lists('studio', 'rate', 'main', '--submits', '0.5');
    expect(account).toMatchObject({ name: 'main', rate: { submits: 0.5, polls: 20, uploads: 4 } });
    expect(await scene.refuses('studio', 'rate', 'main', '--submits', '0')).toContain('above 0');
  });

  it('declares a machine dead once a person agrees, and says what became of its takes', async () => {
    const scene = new CliScene();
    scene.env['DAILIES_STUDIO'] = urlFor('postgres');
    const anna = await studio.machine('anna');
    await anna.enqueue(batchOf(), takesOf(3));
    await studio.admin.setRate(ACCOUNT.name, unlimited);
    const [take] = (await anna.takeNext(['nas'], [ACCOUNT], 2)) as [HeldTake];
    await anna.grant(requestFor(take));
    expect(await scene.refuses('studio', 'declare-dead', "anna's")).toContain('Declare anna');
    expect(await scene.lists('studio', 'declare-dead', "anna's", '--yes')).toMatchObject([
      { type: 'declared_dead', returned: 1, unclear: 1, adoptable: 0 },
    ]);
    expect(await scene.says('studio', 'status')).toContain('Needs decision: 1');
    expect(await scene.refuses('studio', 'declare-dead', 'none', '--yes')).toContain('no machine');
    await studio.machine('ben');
    await studio.query(`UPDATE dailies.studio SET halted_at = now(), generation = 2`);
    expect(await scene.run('studio', 'reconcile')).toBe(5);
    expect(scene.stdout.text).toContain("ben's");
    expect(await scene.says('studio', 'status')).toContain('restored from a backup');
    await studio.query(`UPDATE dailies.machines SET told = 2`);
    expect(await scene.says('studio', 'reconcile')).toContain('goes on');
  });

  it('takes a password from the environment, the keychain or a person, and from nowhere else', async () => {
    await studio.query(`ALTER ROLE cleo PASSWORD 'c0rrect-horse'`);
    const { port } = studio.addressFor('cleo');
    const url = `postgres://cleo@127.0.0.1:${port}/${studio.database}`;
    const scene = new CliScene();
    const everything = () => [scene.said, readFileSync(join(scene.dataFolder, 'studio.json'), 'utf8')].join('\n');
    expect(
      await scene.refuses('studio', 'join', 'cleo', '--postgres', url.replace('@', ':c0rrect-horse@')),
    ).not.toContain('c0rrect-horse');
    expect(scene.said).toContain('contains a password');
    expect(await scene.refuses('studio', 'join', 'cleo', '--postgres', url)).toContain('the user or the password');

    scene.env['PGPASSWORD'] = 'c0rrect-horse';
    await scene.says('studio', 'join', 'cleo', '--postgres', url);
    expect(everything()).not.toContain('c0rrect-horse');
    delete scene.env['PGPASSWORD'];
    expect(await scene.refuses('studio', 'status')).toContain('the user or the password');

    scene.stdin = Object.assign(typed(), { isTTY: true });
    scene.stdout = Object.assign(scene.stdout, { isTTY: true });
    const asked: string[] = [];
    scene.questions = {
      ...scene.questions,
      secret: (question) => Promise.resolve(asked.push(question) > 0 ? 'c0rrect-horse' : ''),
    };
    expect(await scene.says('studio', 'status')).toContain('cleo');
    expect(await scene.says('studio', 'status')).toContain('cleo');
    expect(asked).toEqual([`Password for ${url}:`]);
    expect(scene.keychainOf('studio').secret).toContain('c0rrect-horse');
    scene.stdin = typed();

    scene.keychainOf('studio').secret = null;
    scene.env['DAILIES_STUDIO'] = url.replace('@', ':c0rrect-horse@');
    expect(await scene.says('studio', 'status')).toContain('cleo');
    expect(everything()).not.toContain('c0rrect-horse');
  });
});
