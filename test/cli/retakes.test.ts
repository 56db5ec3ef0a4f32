import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deskWithTakes, type Desk } from './support.ts';

const LIST =
  'shot,kind,model,prompt,size\n' +
  '010,image,image-demo,A lighthouse at dusk,1024x1024\n' +
  '020,image,image-demo,A harbour,1024x1024\n' +
  '030,image,image-demo,A hill,1024x1024\n';
const PRICES =
  '[{"model": "image-demo", "per": "take", "price": 1.5}, {"model": "chat*", "per": "call", "price": 0.25}]';

async function priced(): Promise<Desk> {
  const scene = await deskWithTakes(LIST);
  expect(await scene.run('config', 'set', 'prices', PRICES)).toBe(0);
  return scene;
}

const manifest = (scene: Desk): string => readFileSync(scene.path('film/night/manifest.csv'), 'utf8');

function recipes(scene: Desk): { take: number; shot: { key: string }; from?: object[] }[] {
  const folder = scene.path('film/.dailies/takes');
  return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as never);
}

it('finals of picks are priced first, sent once agreed to, and name the picks; the same again makes none', async () => {
  const scene = await priced();
  expect(await scene.run('takes', 'pick', '--where', 'shot:010')).toBe(0);
  expect(await scene.run('takes', 'pick', '--where', 'shot:020')).toBe(0);
  const again = ['takes', 'again', '--where', 'flag:pick', '--set', 'size=2048x2048'];

  expect(await scene.run(...again, '--dry-run')).toBe(0);
  expect(scene.said).toMatch(/Estimate: image image-demo: 2 takes, .*3\.00[^]*2 takes would be queued\./);
  expect(await scene.run(...again)).toBe(2);
  expect(scene.stderr.text).toMatch(/Queue 2 takes at .*3\.00.*\?[^]*--yes/);
  expect((await scene.lists('jobs', 'list')).filter(({ type }) => type === 'job')).toHaveLength(3);

  expect(await scene.run(...again, '--yes', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([
    { type: 'estimate', newTakes: 2, price: 3, left: 0 },
    { type: 'job', shot: '010', take: 2 },
    { type: 'job', shot: '020', take: 2 },
    { type: 'queued', takes: 2, left: 0 },
  ]);
  expect(await scene.run(...again, '--yes')).toBe(0);
  expect(scene.said).toContain('Nothing to queue: 2 takes have been made like this.');
  expect(scene.service.ledger.commits).toBe(3);

  expect(await scene.run('resume')).toBe(0);
  expect(await scene.run(...again, '--yes')).toBe(0);
  // A picked final has these settings itself.
  expect(await scene.run('takes', 'pick', '--where', 'shot:020 take:2')).toBe(0);
  expect(await scene.run(...again, '--yes')).toBe(0);
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
  expect(scene.service.ledger.commits).toBe(5);
  const sent = scene.service.ledger.billableCommits().map(({ body }) => (body as { size?: string }).size);
  expect(sent.slice(3)).toEqual(['2048x2048', '2048x2048']);

  const draft = recipes(scene).find(({ shot, take }) => shot.key === '010' && take === 1) as unknown as {
    takeId: string;
  };
  const final = recipes(scene).find(({ shot, take }) => shot.key === '010' && take === 2);
  expect(final?.from).toEqual([{ takeId: draft.takeId, how: 'final' }]);
  expect(manifest(scene)).toMatch(/,retake_of,note,final_of,in,out,frame_notes,/);
  expect(manifest(scene)).toMatch(/^010,2,saved,.*,,,010 take 1,,,,/m);
});

it('a setting that the kind lacks, or does not take, is a defect as in a list, and nothing is queued', async () => {
  const scene = await priced();
  await scene.run('takes', 'pick', '--where', 'shot:010');
  const again = async (set: string): Promise<string> =>
    scene.refuses('takes', 'again', '--where', 'flag:pick', '--set', set, '--yes');
  expect(await again('colour=red')).toMatch(/010 · take 1: “colour” is not a setting of image\..*\bsize\b/s);
  expect(await again('n=0')).toMatch(/010 · take 1: n: /);
  expect(await again('size')).toContain('Write column=value');
  expect(await scene.refuses('takes', 'again', '--set', 'size=1x1', '--yes')).toContain('--where');
  expect((await scene.lists('jobs', 'list')).filter(({ type }) => type === 'job')).toHaveLength(3);
});

it('a retake keeps its predecessor and the note, is sent once, and is found by is:retake', async () => {
  const scene = await priced();
  const retake = [
    'takes',
    'retake',
    '--where',
    'shot:010 take:1',
    '--note',
    'Too dark',
    '--prompt',
    'A lighthouse at noon',
  ];
  expect(await scene.run(...retake)).toBe(2);
  expect(scene.service.ledger.commits).toBe(3);
  expect(await scene.run(...retake, '--count', '2', '--yes')).toBe(0);
  expect(await scene.run(...retake, '--count', '2', '--yes')).toBe(0);
  expect(scene.said).toContain('Left out: 010 · take 1: 2 such takes were made of it before.');
  expect(await scene.run('resume')).toBe(0);
  expect(await scene.run('run', 'night.csv', '--project', 'film')).toBe(0);
  expect(scene.service.ledger.commits).toBe(5);

  expect(await scene.run('takes', 'list', '--where', 'is:retake', '--json')).toBe(0);
  expect(scene.stdout.objects).toMatchObject([
    { shot: '010', take: 2 },
    { shot: '010', take: 3 },
  ]);
  const made = recipes(scene).filter(({ from }) => from !== undefined);
  expect(made).toHaveLength(2);
  for (const { from } of made) expect(from).toMatchObject([{ how: 'retake', note: 'Too dark' }]);
  expect(manifest(scene)).toMatch(/^010,2,saved,.*,010 take 1,Too dark,,,,/m);
});

it('a retake by a model is agreed to with its calls, changes each prompt by the note, and asks once for each note', async () => {
  const scene = await priced();
  const retake = ['takes', 'retake', '--where', 'take:1', '--note', 'Warmer light', '--rewrite', 'chat-demo'];
  expect(await scene.run(...retake, '--dry-run')).toBe(0);
  expect(scene.said).toMatch(/Changing the prompts: 1 call, .*0\.25/);
  expect(await scene.run(...retake)).toBe(2);
  expect(scene.service.ledger.commits).toBe(3);
  expect(await scene.run(...retake, '--yes')).toBe(0);
  expect(scene.said).toMatch(/^010 take 1\n {2}- A lighthouse at dusk\n {2}\+ /m);
  expect(scene.service.ledger.commits).toBe(4);
  expect(await scene.run(...retake, '--yes')).toBe(0);
  expect(scene.said).toContain('Nothing to queue: 3 takes have been made like this.');
  expect(await scene.run('resume')).toBe(0);
  expect(scene.service.ledger.commits).toBe(7);
});

it('a call for new prompts that may have been charged is not made again by the same command', async () => {
  const scene = await priced();
  const retake = ['takes', 'retake', '--where', 'shot:010', '--note', 'Warmer', '--rewrite', 'chat-demo', '--yes'];
  scene.fault({ method: 'POST', nth: 1 }, { fault: 'reset', commit: true });
  for (const _time of ['first', 'second']) {
    expect(await scene.run(...retake)).toBe(4);
    expect(scene.stderr.text).toContain('Write the prompt with --prompt');
  }
  expect(scene.service.ledger.commits).toBe(4);
  expect((await scene.lists('jobs', 'list')).filter(({ type }) => type === 'job')).toHaveLength(3);
});

it('retakes for tonight are on hold until then, and a cap holds the others', async () => {
  const scene = await priced();
  const retake = (shot: string, ...more: string[]) =>
    scene.run('takes', 'retake', '--where', `shot:${shot} take:1`, '--note', 'Closer', '--yes', ...more);
  expect(await retake('010', '--tonight')).toBe(0);
  expect(scene.said).toMatch(/^On hold until .*22:00/m);
  const jobs = await scene.lists('jobs', 'list', '--state', 'ready');
  expect(jobs.filter(({ type }) => type === 'job')).toMatchObject([{ shot: '010', take: 2, paused: 'user' }]);

  expect(await scene.run('cap', '--project', 'film', '--batch', 'night', '--max-takes', '4')).toBe(0);
  expect(await retake('020')).toBe(0);
  expect(await retake('030')).toBe(0);
  await scene.run('resume');
  expect(scene.service.ledger.commits).toBe(4);
});
