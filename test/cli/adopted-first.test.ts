import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SharedTerminals } from './shared-terminals.ts';
import { deskWithService, type CliScene } from './support.ts';

const prompts = ['A red door', 'A blue door', 'A green door', 'A white door'];
const listOf = (rows: readonly string[]): string =>
  ['kind,model,prompt', ...rows.map((prompt) => `image,image-demo,${prompt}`)].join('\n').concat('\n');

/** A project whose list was run as `keeper` and whose batch was then renamed, and a data folder that knows nothing of it. */
async function renamedProject() {
  const scene = await deskWithService();
  write(scene, 'keeper.csv', prompts);
  expect(await scene.run('run', 'keeper.csv', '--project', 'film')).toBe(0);
  expect(await scene.run('batches', 'rename', 'keeper', 'night', '--project', 'film')).toBe(0);
  const fresh = (...args: string[]) => scene.run('--data', scene.path('fresh'), ...args);
  return { scene, fresh };
}

const write = (scene: CliScene, name: string, rows: readonly string[]): void =>
  writeFileSync(scene.path(name), listOf(rows));

describe('a project in a data folder that does not know it', () => {
  it.each([
    ['under the earlier name of its batch', 'keeper.csv', prompts],
    ['under another name', 'other.csv', prompts],
    ['under another name with a row inserted above', 'other.csv', ['A wall', ...prompts]],
    ['with a row inserted above', 'night.csv', ['A wall', ...prompts]],
  ])('has no row paid for again without a question: %s', async (_, name, rows) => {
    const { scene, fresh } = await renamedProject();
    write(scene, name, rows);
    expect(await fresh('run', name, '--project', 'film')).toBe(2);
    expect(scene.stdout.text).toContain('4 takes would be charged again.');
    expect(scene.service.ledger.commits).toBe(4);
    expect(await fresh('run', name, '--project', 'film', '--dry-run')).toBe(0);
    expect(scene.stdout.text).toContain('4 takes would be charged again.');
  });

  it('makes nothing where its list goes into the renamed batch', async () => {
    const { scene, fresh } = await renamedProject();
    expect(await fresh('run', 'keeper.csv', '--project', 'film', '--batch', 'night', '--dry-run')).toBe(0);
    expect(scene.stdout.text).toContain('0 new takes to generate');
    expect(await fresh('run', 'keeper.csv', '--project', 'film', '--batch', 'night')).toBe(0);
    expect(scene.service.ledger.commits).toBe(4);
  });

  it('has the question come where another process shares its engine', async () => {
    const office = await SharedTerminals.open();
    write(office.scene, 'keeper.csv', prompts);
    const elsewhere = (...args: string[]) => office.run('--data', office.scene.path('elsewhere'), ...args);
    expect(await elsewhere('run', 'keeper.csv', '--project', 'film')).toBe(0);
    expect(await elsewhere('batches', 'rename', 'keeper', 'night', '--project', 'film')).toBe(0);
    await office.serve();
    expect(await office.run('run', 'keeper.csv', '--project', 'film')).toBe(2);
    expect(office.scene.stdout.text).toContain('4 takes would be charged again.');
    expect(await office.run('run', 'keeper.csv', '--project', 'film', '--batch', 'night')).toBe(0);
    expect(office.commits).toBe(4);
  });
});

it('a data folder that was copied while a request was under way is told by the project what became of it', async () => {
  const scene = await deskWithService();
  write(scene, 'night.csv', prompts.slice(0, 1));
  scene.fault({ method: 'POST' }, { fault: 'drip', bytes: 20, pauseMs: 2000 });
  const running = scene.run('run', 'night.csv', '--project', 'film');
  await expect.poll(() => scene.service.ledger.posts().length).toBe(1);
  cpSync(scene.dataFolder, scene.path('copy'), { recursive: true });
  expect(await running).toBe(0);
  rmSync(scene.dataFolder, { recursive: true });
  renameSync(scene.path('copy'), scene.dataFolder);
  expect(await scene.run('run', 'night.csv', '--project', 'film'), scene.said).toBe(0);
  expect(scene.service.ledger.posts()).toHaveLength(1);
});
