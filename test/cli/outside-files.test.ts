import { t } from '../../src/contract/messages/words.ts';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asMedium } from '../engine/library/media.ts';
import { deskWithService, Page, typed } from './support.ts';

/** A scene with a list in a folder of its own, which names a picture in another one. */
async function deskWithList() {
  const scene = await deskWithService();
  for (const folder of ['lists', 'my pictures']) mkdirSync(scene.path(folder));
  const picture = `${realpathSync(scene.path('my pictures'))}/hero.png`;
  writeFileSync(picture, asMedium('hero.png', 'a picture'));
  const list = 'shot,model,prompt,duration,first_frame\n010,vgen-2.0-nt,A boat,5,../my pictures/hero.png\n';
  writeFileSync(scene.path('lists/list.csv'), list);
  return {
    scene,
    picture,
    run: (...options: string[]) => scene.run('run', 'lists/list.csv', '--project', 'film', ...options),
  };
}

describe('a file outside the folders of the list and the project', () => {
  it('is named and not sent without a terminal, until the option that is told allows it', async () => {
    const { scene, picture, run } = await deskWithList();
    expect(await run()).toBe(2);
    expect(scene.stdout.text).toContain(t('cli.outsideFiles', { count: 1 }));
    expect(scene.stdout.text).toContain(`  ${picture} (shot 010)`);
    expect(scene.stderr.text).toContain(`add to the command: --allow-file '${picture}'`);
    expect(scene.service.ledger.posts()).toEqual([]);

    expect(await run('--json')).toBe(2);
    expect(scene.stdout.objects).toContainEqual({ type: 'outside', files: [{ path: picture, shots: ['010'] }] });
    expect(await run('--dry-run', '--offline')).toBe(0);
    expect(scene.stdout.text).toContain(picture);

    expect(await run('--allow-file', 'my pictures')).toBe(0);
    expect(scene.service.ledger.posts('/v1/assets/uploads')).toHaveLength(1);
    expect(await run('--again')).toBe(0);
    expect(scene.stdout.text).not.toContain('outside');
  });

  it('is asked about at a terminal', async () => {
    const { scene, run } = await deskWithList();
    scene.stdout = new Page(true);
    scene.stdin = Object.assign(typed(), { isTTY: true });
    const asked: string[] = [];
    scene.questions = { ...scene.questions, confirm: (question) => Promise.resolve(asked.push(question) > 1) };
    expect(await run()).toBe(2);
    expect(scene.service.ledger.posts()).toEqual([]);
    expect(await run()).toBe(0);
    expect(asked).toEqual(['Send this file', 'Send this file']);
    expect(scene.service.ledger.posts('/v1/assets/uploads')).toHaveLength(1);
  });
});
