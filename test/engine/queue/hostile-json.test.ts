import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sayText } from '../../../src/contract/messages/words.ts';
import { World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { check, told } from '../batches/support.ts';

/** `{"a":{"a":… }}`, deeper than SQLite reads, in 6 KB. */
const deep = `${'{"a":'.repeat(1100)}1${'}'.repeat(1100)}`;

type Json = Record<string, unknown>;

let world: World;
let strange: string;

/** A project of a stranger with one saved take, whose files are changed first. */
async function openStrange(change: { batch?: (json: Json) => string; recipe?: (json: Json) => string }) {
  await world.stop();
  rmSync(strange, { recursive: true, force: true });
  cpSync(world.projectPath, strange, { recursive: true });
  const own = join(strange, '.dailies');
  const project = JSON.parse(readFileSync(join(own, 'project.json'), 'utf8')) as Json;
  const ids = new Map<string, string>();
  const renamed = (text: string): string => {
    for (const [before, after] of ids) text = text.replaceAll(before, after);
    return text;
  };
  for (const folder of ['batches', 'takes'])
    for (const name of readdirSync(join(own, folder))) ids.set(name.replace('.json', ''), crypto.randomUUID());
  for (const [folder, rewrite] of [
    ['batches', change.batch],
    ['takes', change.recipe],
  ] as const)
    for (const name of readdirSync(join(own, folder))) {
      const text = renamed(readFileSync(join(own, folder, name), 'utf8'));
      rmSync(join(own, folder, name));
      const content = rewrite ? rewrite(JSON.parse(text) as Json) : text;
      writeFileSync(join(own, folder, renamed(name)), content);
    }
  writeFileSync(join(own, 'project.json'), JSON.stringify({ ...project, id: crypto.randomUUID() }));
  rmSync(join(own, 'worked-from.json'), { force: true });
  const engine = await world.start();
  return (await engine.projects.open(strange)).problems.map(sayText);
}

/** The person's own project goes on, and so does the next start. */
async function expectOthersToWork(): Promise<void> {
  const before = world.posts().length;
  await world.run([shot(1), shot(before + 1)]);
  expect(world.posts()).toHaveLength(before + 1);
  await world.restart();
  await world.settle();
  const own = await world.openProject();
  const counts = world.engine.stores.tally.counts({ projectId: own.id });
  expect(counts).toMatchObject({ failed: 0, unknown: 0, unfinished: 0 });
}

beforeAll(async () => {
  world = await World.open();
  strange = join(world.folder, 'strange');
  mkdirSync(strange);
  await world.run([shot(1)]);
});
afterAll(() => world.close());

describe('JSON that is nested deeper than the database reads', () => {
  it('is a defect of its cell', async () => {
    const { shots, defects } = await check(
      `shot,kind,model,prompt,entry,generation_config,param.more:json\n1,image,m,a,content,"${deep.replaceAll('"', '""')}",\n2,image,m,a,,,"${deep.replaceAll('"', '""')}"\n`,
    );
    const errors = told(defects).filter((defect) => defect.startsWith('error'));
    expect(errors.map((defect) => defect.replace(/"\{.*"/, '…'))).toEqual([
      'error 2/generation_config …: This JSON is nested more than 64 levels deep.',
      'error 3/param.more:json …: This JSON is nested more than 64 levels deep.',
    ]);
    expect(shots).toEqual([]);
  });

  it('in a batch of a project sets that batch aside, and nothing else', async () => {
    const batch = (json: Json): string => {
      const [first] = json['shots'] as Json[];
      return JSON.stringify({
        ...json,
        shots: [{ ...first, params: { generation_config: JSON.parse(deep) as unknown } }],
      });
    };
    const problems = await openStrange({ batch });
    expect(problems.join('\n')).toContain('nested more than 64 levels deep');
    await expectOthersToWork();
  });

  it('in a recipe sets that take aside, and nothing else', async () => {
    const recipe = (json: Json): string =>
      JSON.stringify({ ...json, request: { ...(json['request'] as Json), body: JSON.parse(deep) as unknown } });
    const problems = await openStrange({ recipe });
    expect(problems.join('\n')).toContain('nested more than 64 levels deep');
    await expectOthersToWork();
  });
});

describe('a recipe whose task was taken at no address', () => {
  it.each(
    ['', 'x', 'https://user:pw@a.test'].flatMap((origin) => ['saved', 'polling'].map((state) => [origin, state])),
  )('“%s”, in the state %s, does not keep its project from being opened', async (origin, state) => {
    const problems = await openStrange({ recipe: (json) => JSON.stringify({ ...json, origin, state }) });
    expect(problems).toEqual([]);
    await world.settle();
    await expectOthersToWork();
  });
});
