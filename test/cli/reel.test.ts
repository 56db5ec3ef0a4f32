import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Reel, ReelTake } from '../../src/contract/reel.ts';
import type { ReviewedTake } from '../../src/contract/reel-review.ts';
import { deskWithTakes } from './support.ts';

const LIST = `shot,kind,model,prompt,takes
010,image,image-demo,A harbour at dawn,2
海辺 #2,image,image-demo,"It's </script><b>100%</b> & rain",1
030,image,image-demo,A hill,1
`;
const OF_FILM = ['--project', 'film'] as const;

type Scene = Awaited<ReturnType<typeof deskWithTakes>>;

function reelAt(scene: Scene, folder: string): { page: string; reel: Reel } {
  const page = readFileSync(scene.path(`${folder}/index.html`), 'utf8');
  const [, data = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  return { page, reel: (JSON.parse(data) as { reel: Reel }).reel };
}

function writeReview(
  scene: Scene,
  { id: reelId, projectId, name: reel }: Reel,
  reviewer: string,
  takes: readonly Partial<ReviewedTake>[],
): string {
  const review = { type: 'dailies-review', version: 1, reelId, reel, projectId, reviewer };
  const file = `${reviewer}.dailies-review.json`;
  writeFileSync(scene.path(file), JSON.stringify({ ...review, takes: takes.map((each) => ({ notes: [], ...each })) }));
  return file;
}

const named = ({ takeId, output, sha256 }: ReelTake) => ({ takeId, output, sha256 });

it('dailies reel writes a page that asks for nothing, with what people wrote as data', async () => {
  const scene = await deskWithTakes(LIST);
  expect(await scene.refuses('reel', ...OF_FILM)).toContain('--to');
  expect(await scene.refuses('reel', '--to', 'reel', ...OF_FILM)).toContain('no cut yet');
  expect(await scene.refuses('reel', '--to', 'reel', '--where', 'nothing', ...OF_FILM)).toContain('--where');
  expect(existsSync(scene.path('reel'))).toBe(false);
  expect(await scene.run('takes', 'pick', '--where', 'hill')).toBe(0);
  expect(await scene.run('cut', 'add', '--picks', ...OF_FILM)).toBe(0);
  mkdirSync(scene.path('reel'));
  expect(await scene.run('reel', '--to', 'reel', ...OF_FILM, '--json')).toBe(0);
  expect(scene.stdout.objects).toEqual([{ type: 'exported', folder: scene.path('reel'), files: 4 }]);
  expect(readdirSync(scene.path('reel')).sort()).toEqual(['index.html', 'media']);
  const { page, reel } = reelAt(scene, 'reel');
  expect(reel.clips.map(({ shot, take }) => [shot, take?.number ?? null])).toEqual([
    ['010', null],
    ['海辺 #2', null],
    ['030', 1],
  ]);
  for (const { file } of reel.clips) expect(existsSync(scene.path(`reel/${decodeURIComponent(file)}`))).toBe(true);
  expect(reel.clips[1]?.text).toContain('</script>');
  expect(page.match(/<\/script>/g)).toHaveLength(2);
  expect(page).not.toMatch(/https?:|src="|href=|import\(|fetch\(/);
  expect(page).toContain('default-src &#39;none&#39;');

  expect(await scene.refuses('reel', '--to', 'reel', ...OF_FILM)).toContain('reel');
  expect(await scene.run('reel', '--to', 'all', '--where', 'harbour', ...OF_FILM)).toBe(0);
  expect(reelAt(scene, 'all').reel.clips.map(({ take }) => take?.number)).toEqual([1, 2]);
});

it('dailies reel merge sets what a take has none of, leaves what differs, and does it once', async () => {
  const scene = await deskWithTakes(LIST);
  expect(await scene.run('takes', 'rate', '2', '--where', 'hill')).toBe(0);
  expect(await scene.run('reel', '--to', 'reel', '--where=-rain', ...OF_FILM)).toBe(0);
  const { reel } = reelAt(scene, 'reel');
  const [first, second, hill] = reel.clips.map(({ take }) => take as ReelTake);
  if (!first || !second || !hill) throw new Error('There are three takes.');
  const file = writeReview(scene, reel, 'Anna', [
    { ...named(first), flag: 'pick', rating: 5 },
    { ...named(second), flag: 'pick', note: 'Too dark' },
    { ...named(hill), rating: 4 },
    { ...named(hill), sha256: '0'.repeat(64), rating: 1 },
    { ...named(hill), takeId: 'unknown', rating: 1 },
  ]);
  const verdicts = async () => {
    expect(await scene.run('takes', 'list', '--json', ...OF_FILM)).toBe(0);
    return scene.stdout.objects.map(({ shot, take, rating, flag, note }) => [shot, take, rating, flag, note]);
  };
  const before = await verdicts();
  expect(await scene.run('reel', 'merge', file, '--dry-run')).toBe(0);
  expect(scene.said).toContain('would change 2 takes');
  expect(scene.said).toContain('--take theirs');
  expect(await verdicts()).toEqual(before);

  expect(await scene.run('reel', 'merge', file, '--json')).toBe(0);
  expect(scene.stdout.objects.at(-1)).toEqual({
    ...{ type: 'merged', reviewer: 'Anna', reel: reel.name, takes: 2, conflicts: 1, left: 2 },
  });
  const merged = await verdicts();
  expect(merged.filter(([shot]) => shot !== '海辺 #2')).toEqual([
    ['010', 1, 5, 'pick', ''],
    ['010', 2, 0, 'alternate', 'Too dark'],
    ['030', 1, 2, null, ''],
  ]);
  expect(await scene.run('reel', 'merge', file, ...OF_FILM)).toBe(0);
  expect(scene.said).toContain('0 takes');
  expect(await verdicts()).toEqual(merged);
  expect(await scene.run('reel', 'merge', file, '--take', 'theirs')).toBe(0);
  expect((await verdicts()).at(-1)).toEqual(['030', 1, 4, null, '']);
});

it('refuses reviews that are damaged, of another project or of a later version, each in its own words', async () => {
  const scene = await deskWithTakes(LIST);
  expect(await scene.run('reel', '--to', 'reel', '--where', 'hill', ...OF_FILM)).toBe(0);
  const { reel } = reelAt(scene, 'reel');
  const [hill] = reel.clips.map(({ take }) => take as ReelTake);
  const bad = (text: string): Promise<string> => {
    writeFileSync(scene.path('bad.json'), text);
    return scene.refuses('reel', 'merge', 'bad.json', ...OF_FILM);
  };
  expect(await scene.refuses('reel', 'merge', 'missing.json')).toContain('missing.json');
  expect(await scene.refuses('reel', 'merge', 'reel')).toContain('not a review');
  expect(await bad('{')).toContain('not a review');
  expect(await bad('['.repeat(100_000))).toContain('not a review');
  expect(await bad('{"type":"dailies-review","version":2}')).toContain('later version');
  expect(await bad('{"type":"dailies-review","version":1}')).toContain('damaged');
  expect(await bad(`{"a":"${'x'.repeat(20_000_000)}"}`)).toContain('larger than 20');
  const file = writeReview(
    scene,
    { ...reel, projectId: 'another' },
    'Ben',
    hill ? [{ ...named(hill), rating: 1 }] : [],
  );
  expect(await scene.refuses('reel', 'merge', file)).toContain('another project');
  expect(await scene.refuses('reel', 'merge', file, ...OF_FILM)).toContain('another project');
});
