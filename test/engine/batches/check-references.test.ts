import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sayText } from '../../../src/contract/messages/words.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import type { BatchesBeside, NamedBatch } from '../../../src/engine/batches/check-references.ts';
import { findCircles } from '../../../src/engine/batches/shot-graph.ts';
import { shot } from '../db/seed.ts';
import { check, errorsOf, told } from './support.ts';

const HEADERS = 'shot,kind,model,prompt,first_frame,audio,n,skip\n';

/** A list of stills and of videos that start from them. */
const list = (...rows: string[]): string => `${HEADERS}${rows.join('\n')}\n`;
const still = (key: string, n = ''): string => `${key},image,image-demo,A harbour,,,${n},`;
const video = (key: string, firstFrame: string, audio = ''): string =>
  `${key},video,vgen-2.0-cl,It wakes,${firstFrame},${audio},,`;
const music = (key: string): string => `${key},music,music-demo,A slow waltz,,,,`;

const errors = async (text: string): Promise<string[]> => told(errorsOf((await check(text)).defects));

it('a row may name a row above or below it, in any spelling of the scheme, and an output of it', async () => {
  const text = list(
    video('020', 'Shot://010'),
    video('030', 'shot://010/4', 'SHOT://040'),
    still('010', '4'),
    music('040'),
  );
  const { shots, defects } = await check(text);
  expect(errorsOf(defects)).toEqual([]);
  expect(shots.map(({ params }) => params['first_frame'])).toEqual([
    'Shot://010',
    'shot://010/4',
    undefined,
    undefined,
  ]);
});

it.each([
  ['a key that no row has', 'Shot://099', 'No row of the list has the key 099.'],
  ['no key', 'Shot://', 'The reference does not contain a shot.'],
  ['itself', 'Shot://020', 'The row refers to itself.'],
  ['a row that is left out', 'Shot://030', 'Row 4, which has this key, is left out by its skip cell.'],
  ['a row of another medium', 'Shot://040', 'Shot 040 generates an audio file, but an image is needed.'],
  ['a file that no take has', 'Shot://010/3', 'A take of shot 010 has 2 files.'],
  ['file 0', 'Shot://010/0', 'The files of a take are numbered from 1.'],
])('naming %s is an error with its place', async (_what, cell, problem) => {
  const rows = [still('010', '2'), video('020', cell), '030,image,image-demo,x,,,,yes', music('040')];
  const defects = errorsOf((await check(list(...rows))).defects);
  expect(told(defects)).toEqual([`error 3/first_frame "${cell}": ${problem}`]);
  expect(defects[0]).toMatchObject({ shot: '020', remedy: expect.stringMatching(/\S/) as string });
});

it('names a key that is exactly so before an output of another one', async () => {
  expect(await errors(list(still('A/1'), video('B', 'Shot://A/1'), video('C', 'Shot://A/1/1')))).toEqual([]);
  expect(await errors(list(still('A', '2'), music('A/2'), video('B', 'Shot://A/2')))).toEqual([
    'error 4/first_frame "Shot://A/2": Shot A/2 generates an audio file, but an image is needed.',
  ]);
  expect(await errors(list(still('A b;c'), video('B', 'Shot://A b;c')))).toEqual([]);
});

it('finds a key that a spreadsheet program has rewritten', async () => {
  expect(await errors(list(still('1'), video('2', 'Shot://001')))).toEqual([]);
});

it('says nothing of a reference to a row that has errors of its own', async () => {
  const text = list('010,painting,image-demo,x,,,,', video('020', 'Shot://010'));
  expect((await errors(text)).map((line) => line.split(':')[0])).toEqual(['error 2/kind "painting"']);
});

it('rows that wait for each other are an error that names them', async () => {
  const rows = ['1,Shot://2', '2,Shot://3', '3,Shot://1', '4,Shot://1'].map((row) => `${row},vgen-2.0-nt,x`);
  expect(await errors(`shot,video,model,prompt\n${rows.join('\n')}\n`)).toEqual([
    'error 4/video "Shot://1": These shots wait for each other: 1 → 2 → 3 → 1.',
  ]);
});

it('a prompt may be a text shot and nothing else', async () => {
  const prompted = (cell: string) => list(still('010')).concat(`020,image,image-demo,${cell},,,,\n`);
  expect(await errors(prompted('Shot://010'))).toEqual([
    'error 3/prompt "Shot://010": Shot 010 generates an image, but a text is needed.',
  ]);
  expect(await errors(prompted('Like Shot://010'))).toEqual([]);
});

it('what a row makes follows from its operation, and an asset is named where its purpose fits', async () => {
  const rows = (cells: string) =>
    `shot,kind,model,operation,prompt,custom_mode,lyrics,avatar,voice_asset,audio
W,music,m,lyrics,Two verses,,,,,
T,music,m,,A waltz,,,,,
A,presenter,m,avatar,,,,,,
V,presenter,m,voice,,,,,,
S,presenter,m,audio,,,,,,
${cells}
`;
  const song = (lyrics: string) => errors(rows(`X,music,m,,,TRUE,${lyrics},,,`));
  const film = (avatar: string, voice: string, audio: string) =>
    errors(rows(`X,presenter,m,,,,,${avatar},${voice},${audio}`));
  expect(await song('Shot://W')).toEqual([]);
  expect(await song('Shot://T')).toEqual([
    'error 7/lyrics "Shot://T": Shot T generates an audio file, but a text is needed.',
  ]);
  expect(await film('Shot://A', 'Shot://V', 'Shot://S')).toEqual([]);
  expect(await film('Shot://A', 'Shot://S', 'Shot://T')).toEqual([]);
  expect(await film('Shot://V', 'Shot://A', 'Shot://V')).toEqual([
    'error 7/avatar "Shot://V": Shot V generates a text, but an image, a video or an audio file is needed.',
    'error 7/voice_asset "Shot://A": Shot A generates a text, but an audio file is needed.',
    'error 7/audio "Shot://V": Shot V generates a text, but an audio file is needed.',
  ]);
  expect(await film('Shot://A/2', '', 'Asset://b')).toEqual([
    'error 7/avatar "Shot://A/2": This column refers to a whole take, not one of its files.',
  ]);
});

/** For each of some shots, the shots it names. */
const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((shots) =>
    fc.array(fc.uniqueArray(fc.nat({ max: shots - 1 }), { maxLength: 4 }), { minLength: shots, maxLength: shots }),
  );

/** Whether a shot can be reached from itself, by trying every way. */
function hasCircle(named: readonly (readonly number[])[]): boolean {
  const reached = named.map((direct) => new Set(direct));
  for (let round = 0; round < named.length; round += 1)
    for (const from of reached) for (const to of [...from]) for (const next of named[to] ?? []) from.add(next);
  return reached.some((from, shot) => from.has(shot));
}

it('no circle passes', () => {
  fc.assert(
    fc.property(graphs, (named) => {
      const namedBy = (key: string) => (named[Number(key)] ?? []).map(String);
      const circles = findCircles(Object.keys(named), namedBy);
      expect(circles.length > 0).toBe(hasCircle(named));
      for (const { path } of circles) {
        path.forEach(
          (key, at) => key === '…' || path[at + 1] === '…' || expect(namedBy(key)).toContain(path[at + 1] ?? path[0]),
        );
      }
    }),
  );
});

it('a list of whatever rows passes exactly when none of them waits for itself', async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async (named) => {
      const cells = named.map((shots) => shots.map((shot) => `Shot://${String(shot)}`).join(';'));
      const rows = cells.map((cell, shot) => `${String(shot)},vgen-2.0-nt,x,${cell}`);
      const found = await errors(`shot,model,prompt,reference_videos\n${rows.join('\n')}\n`);
      expect(found.length > 0).toBe(hasCircle(named));
    }),
    { numRuns: 60 },
  );
});

it('finds the circles in a chain of 100,000 shots in no time to speak of', () => {
  const keys = Array.from({ length: 100_000 }, (_, at) => String(at));
  const circles = findCircles(keys, (key) => [String((Number(key) + 1) % keys.length), '0']);
  expect(circles.length).toBeGreaterThan(0);
  expect(circles.every(({ path }) => path.length <= 7)).toBe(true);
});

describe('a frame of a film', () => {
  const film = (key: string): string => video(key, '');

  it.each(['first', 'last', 'in', 'out', '48f', '2.5s'])('is named by #%s', async (frame) => {
    expect(await errors(list(film('010'), video('020', `Shot://010#${frame}`)))).toEqual([]);
  });

  it.each([
    ['Shot://010#middle', '“#middle” is not a frame.'],
    ['Shot://030#last', 'Shot 030 generates an image, which has no frames.'],
    ['Shot://010/2#last', 'A take of shot 010 has one file.'],
    ['Shot://010', 'Shot 010 generates a video, but an image is needed.'],
    ['Shot://099#last', 'No row of the list has the key 099.'],
    ['Shot://020#last', 'The row refers to itself.'],
  ])('%s', async (cell, problem) => {
    const defects = errorsOf((await check(list(film('010'), video('020', cell), still('030')))).defects);
    expect(told(defects)).toEqual([`error 3/first_frame "${cell}": ${problem}`]);
    expect(defects[0]).toMatchObject({ shot: '020', remedy: expect.stringMatching(/\S/) as string });
  });

  it('is no sound, and no task', async () => {
    const sung = list(film('010'), video('020', '', 'Shot://010#last'));
    expect(await errors(sung)).toEqual([
      'error 3/audio "Shot://010#last": A frame is an image, but an audio file is needed.',
    ]);
  });

  it('rows that wait for frames of each other are a circle', async () => {
    const rows = [video('1', 'Shot://3#last'), video('2', 'Shot://1#last'), video('3', 'Shot://2#last')];
    expect(await errors(list(...rows))).toEqual([
      'error 3/first_frame "Shot://1#last": These shots wait for each other: 1 → 3 → 2 → 1.',
    ]);
  });

  it('of a chain of more than four is a warning, once', async () => {
    const chain = (length: number): string =>
      list(film('0'), ...Array.from({ length }, (_, at) => video(String(at + 1), `Shot://${String(at)}#last`)));
    const warnings = async (text: string) =>
      (await check(text)).defects.filter(({ problem }) => sayText(problem).includes('softens'));
    expect(await warnings(chain(4))).toEqual([]);
    const [warning, ...others] = await warnings(chain(60));
    expect(others).toEqual([]);
    expect(warning).toMatchObject({
      severity: 'warning',
      row: 7,
      shot: '5',
      column: 'first_frame',
      value: 'Shot://4#last',
    });
  });
});

describe('a shot of another batch', () => {
  const specs = new Map<string, ShotSpec>([
    ['A', shot(1, { key: 'A' })],
    ['B', shot(2, { key: 'B', params: { first_frame: 'Shot://reel:1' } })],
    ['T', shot(3, { key: 'T' })],
  ]);
  const batch = (isArchived: boolean): NamedBatch => ({
    find: (text) => (specs.has(text) ? text : null),
    spec: (key) => specs.get(key) ?? null,
    isArchived,
    isTrashed: (key) => key === 'T',
  });
  const batches: BatchesBeside = {
    own: 'reel',
    named: (name) => (name === 'day 1' || name === 'old' ? batch(name === 'old') : null),
  };
  const found = async (...rows: string[]) => told(errorsOf((await check(list(...rows), { batches })).defects));

  it('is named by its batch, and its own rows too', async () => {
    expect(await found(video('1', 'Shot://day 1:A#last'), video('2', 'Shot://reel:1#first'))).toEqual([]);
  });

  it.each([
    ['Shot://day 2:A#last', 'No row of the list has the key day 2:A, and the project has no batch “day 2”.'],
    ['Shot://day 1:Z#last', 'Batch “day 1” has no shot Z.'],
    ['Shot://reel:Z', 'Batch “reel” has no shot Z.'],
    ['Shot://day 1:A', 'Shot day 1:A generates a video, but an image is needed.'],
    ['Shot://old:A#last', 'Batch “old” is archived, so its takes are not used.'],
    ['Shot://day 1:T#last', 'All takes of shot day 1:T are in the trash.'],
    ['Shot://day 1:B#last', 'These shots wait for each other: 1 → day 1:B → 1.'],
  ])('%s', async (cell, problem) => {
    expect(await found(video('1', cell))).toEqual([`error 2/first_frame "${cell}": ${problem}`]);
  });

  it('is not judged where the project is not known', async () => {
    expect(await errors(list(video('1', 'Shot://day 2:A#last')))).toEqual([]);
  });
});
