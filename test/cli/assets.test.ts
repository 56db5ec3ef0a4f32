import { t } from '../../src/contract/messages/words.ts';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { deskWithService, type Desk } from './support.ts';

async function picture(scene: Desk, name: string, red: number): Promise<void> {
  mkdirSync(scene.path('refs'), { recursive: true });
  const pixels = { width: 8, height: 8, channels: 3 as const, background: { r: red, g: 0, b: 0 } };
  writeFileSync(scene.path('refs', name), await sharp({ create: pixels }).png().toBuffer());
}

const uploads = (scene: Desk) => scene.service.ledger.posts('/v1/assets/uploads').length;

describe('dailies assets', () => {
  it('uploads each content once, waits until it can be used, and shows it beside its file', async () => {
    const scene = await deskWithService();
    await picture(scene, 'Anna – été.png', 10);
    await picture(scene, 'copy of Anna.png', 10);
    await picture(scene, 'boat.png', 20);
    const names = ['Anna – été.png', 'copy of Anna.png', 'boat.png'].map((name) => `refs/${name}`);
    expect(await scene.run('assets', 'upload', ...names, '--group', 'Cast', '--as', 'first_frame')).toBe(0);
    expect(uploads(scene)).toBe(2);
    expect(scene.stdout.text).toContain('-> Asset://');
    expect(scene.stdout.text).not.toContain('not ready');

    expect(await scene.run('assets', 'upload', ...names, '--group', 'Cast', '--as', 'first_frame')).toBe(0);
    expect(uploads(scene)).toBe(2);
    expect(scene.stdout.text).toContain('nothing sent');

    const assets = (await scene.lists('assets', 'list', '--group', 'Cast')).filter((line) => line['type'] === 'asset');
    expect(assets.map((asset) => asset['readiness'])).toEqual(['ready', 'ready']);
    expect(await scene.says('assets', 'show', String(assets[0]?.['reference']))).toContain(String(assets[0]?.['id']));
    expect(await scene.says('assets', 'list', '--not-ready')).toContain('0 assets');
  });

  it('says that the service put a file into another group than it was sent to', async () => {
    const scene = await deskWithService({ uploadForm: 'ignoring' });
    await picture(scene, 'Anna.png', 10);
    const upload = ['assets', 'upload', 'refs/Anna.png', '--group', 'Cast', '--as', 'first_frame'];
    expect(await scene.says(...upload)).toContain('; the service put it into the group Default, not Cast');
    expect((await scene.lists(...upload))[0]).toMatchObject({ sent: false, wantedGroup: 'Cast', group: 'Default' });
    await scene.run('assets', 'show', String(scene.stdout.objects[0]?.['assetId']));
    expect(scene.stdout.text).toMatch(/^sent to +Cast \(the service put it into another group\)$/m);

    expect((await scene.lists('assets', 'upload', 'refs/Anna.png'))[0]).not.toHaveProperty('wantedGroup');
  });

  it('makes, renames and lists groups, and syncs what others made', async () => {
    const scene = await deskWithService();
    expect(await scene.run('assets', 'group', 'create', 'Places', '--description', 'harbours')).toBe(0);
    expect(await scene.run('assets', 'group', 'rename', 'Places', 'Harbours')).toBe(0);
    expect(await scene.says('assets', 'groups')).toContain('Harbours');
    expect(scene.stdout.text).not.toContain('Places');
    expect(await scene.run('assets', 'group', 'rename', 'Places', 'Piers')).toBe(2);
    expect(scene.stderr.text).toContain(t('cli.unknownAsset', { what: 'group', name: 'Places' }));
    await fetch(`${scene.service.url}/v1/asset-groups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'From elsewhere' }),
    });
    expect((await scene.lists('assets', 'sync'))[0]).toMatchObject({ type: 'sync', groups: 3 });
    expect(await scene.says('assets', 'groups')).toContain('From elsewhere');
  });

  it('says what became of a file that failed, with 3, and keeps the others', async () => {
    const scene = await deskWithService();
    await picture(scene, 'good.png', 1);
    expect(await scene.run('assets', 'upload', 'refs/good.png', 'refs/missing.png')).toBe(3);
    expect(scene.stdout.text).toMatch(/uploaded .*good\.png/);
    expect(scene.stdout.text).toMatch(/failed .*missing\.png/);
    scene.fault(
      { method: 'POST', path: '/v1/assets/uploads' },
      { fault: 'asset-outcome', end: 'failed', message: 'a face that is too small' },
    );
    await picture(scene, 'small.png', 2);
    expect(await scene.run('assets', 'upload', 'refs/small.png')).toBe(3);
    expect(scene.stdout.text).toContain('a face that is too small');
  });

  it('says before a run which files it would upload, each content once with its size, and which are there', async () => {
    const scene = await deskWithService();
    await picture(scene, 'Anna.png', 5);
    await picture(scene, 'copy of Anna.png', 5);
    await picture(scene, '船.png', 6);
    const bytes = (name: string) => statSync(scene.path('refs', name)).size;
    const rows = ['001,refs/Anna.png,', '002,refs/copy of Anna.png,', '003,refs/船.png,Boats'];
    const line = (row: string) => row.replace(/^(\d+),/, '$1,vgen-2.0-nt,a walk,5,');
    const list = ['shot,model,prompt,duration,first_frame,group', ...rows.map(line)].join('\n');
    writeFileSync(scene.path('list.csv'), list);
    const dryRun = ['run', 'list.csv', '--project', 'film', '--dry-run'];
    const uploadLines = () => scene.stdout.objects.filter(({ type }) => type === 'upload');

    expect(await scene.run(...dryRun, '--json')).toBe(0);
    const use = { type: 'upload', media: 'image', model: 'vgen-2.0-nt', role: 'first_frame' };
    const anna = { ...use, path: scene.path('refs', 'Anna.png'), bytes: bytes('Anna.png'), shots: ['001', '002'] };
    const boat = { ...use, path: scene.path('refs', '船.png'), bytes: bytes('船.png'), group: 'Boats', shots: ['003'] };
    expect(uploadLines()).toEqual([anna, boat]);
    await scene.run(...dryRun);
    expect(scene.stdout.text).toMatch(/^upload .*Anna\.png \(\d+ B\): first_frame for vgen-2\.0-nt \(2 shots\)$/m);
    expect(scene.stdout.text).toContain('3 requests would be sent, after 2 uploads (');
    expect(scene.service.ledger.posts()).toEqual([]);
    expect(existsSync(scene.dataFolder)).toBe(false);

    await scene.run('assets', 'upload', 'refs/Anna.png', '--as', 'first_frame', '--model', 'vgen-2.0-nt');
    await scene.run(...dryRun, '--json');
    expect(uploadLines()).toEqual([boat]);
    // Without a key nobody knows whose library to look at.
    scene.env['DAILIES_API_KEY'] = '';
    await scene.run(...dryRun, '--json');
    expect(uploadLines()).toEqual([anna, boat]);
    scene.env['DAILIES_API_KEY'] = scene.service.apiKey;
    await scene.run('run', 'list.csv', '--project', 'film');
    await scene.run(...dryRun, '--again', '--json');
    expect(uploadLines()).toEqual([]);
    expect(uploads(scene)).toBe(2);
  });

  it('tells where an asset is used after a run, and uploads nothing for a second one', async () => {
    const scene = await deskWithService();
    await picture(scene, 'Anna.png', 3);
    const list = 'shot,model,prompt,duration,first_frame\n001,vgen-2.0-nt,a walk,5,refs/Anna.png\n';
    writeFileSync(scene.path('list.csv'), list);
    expect(await scene.says('run', 'list.csv', '--project', 'film', '--dry-run')).toContain('Anna.png');
    expect(await scene.run('run', 'list.csv', '--project', 'film')).toBe(0);
    expect(await scene.run('run', 'list.csv', '--project', 'film', '--batch', 'second')).toBe(0);
    expect(uploads(scene)).toBe(1);
    const id = String((await scene.lists('assets', 'list'))[0]?.['id']);
    expect(await scene.says('assets', 'where-used', id)).toContain('first_frame');
    expect(scene.stdout.text).toContain('2 places');
  });

  it('hides an asset here and says that it stays at the service', async () => {
    const scene = await deskWithService();
    await picture(scene, 'old.png', 4);
    const id = String((await scene.lists('assets', 'upload', 'refs/old.png'))[0]?.['assetId']);
    expect(await scene.says('assets', 'hide', `Asset://${id}`)).toContain('stays at the service');
    expect(await scene.says('assets', 'list')).toContain('0 assets');
    expect(await scene.run('assets', 'show', 'nonsense')).toBe(2);
  });
});
