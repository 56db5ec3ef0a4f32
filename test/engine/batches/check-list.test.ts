import { execFileSync } from 'node:child_process';
import { mkdtemp, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsFor } from '../../../src/contract/kinds/index.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { bytesForPeople } from '../../../src/contract/units.ts';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import { bytesOf, check, errorsOf, inWords, listing, tableOf, told } from './support.ts';
import { asMedium } from '../library/media.ts';

describe('a row', () => {
  it('becomes a shot, each cell typed as its column wants it', async () => {
    const { shots, defects } = await check(
      'shot,kind,model,prompt,takes,duration,ratio,resolution,generate_audio,reference_images,file_name,priority,notes,group,param.seed,Scene\n' +
        '001, Video ,vgen-2.0-cl," A wide shot\nat dawn ",2,5,16x9,1080P,no,Asset://1;asset://2,hero,-3,keep it,refs, 07 ,004\n',
    );
    expect(defects).toEqual([]);
    expect(shots).toEqual([
      {
        key: '001',
        kind: 'video',
        model: 'vgen-2.0-cl',
        prompt: 'A wide shot\nat dawn',
        takes: 2,
        params: {
          duration: 5,
          aspect_ratio: '16:9',
          size: '1080p',
          generate_audio: false,
          reference_images: ['Asset://1', 'asset://2'],
        },
        extra: { seed: ' 07 ' },
        columns: { Scene: '004' },
        fileName: 'hero',
        priority: -3,
        notes: 'keep it',
        group: 'refs',
      },
    ]);
  });

  it('without a key is numbered by its place', async () => {
    const { shots } = await check('shot,model,prompt\n,vgen-2.0-nt,a\nx,vgen-2.0-nt,b\n,vgen-2.0-nt,c\n');
    expect(shots.map(({ key }) => key)).toEqual(['0001', 'x', '0003']);
  });

  it('marked skip is left out, and not judged', async () => {
    const { shots, skipped, defects } = await check('shot,model,prompt,skip\n1,,,yes\n2,vgen-2.0-nt,b,FALSE\n');
    expect({ keys: shots.map(({ key }) => key), skipped, defects }).toEqual({ keys: ['2'], skipped: 1, defects: [] });
  });

  it.each([
    ['its own cell before the batch', 'image', 'm', 'music', 'image'],
    ['the model before the batch', '', 'vgen-9-x', 'music', 'video'],
    ['the batch before the name of the model', '', 'acme-image', 'music', 'music'],
    ['the name of the model last', '', 'acme-image', undefined, 'image'],
  ])('gets its kind from %s', async (_what, cell, model, kind, expected) => {
    const options = kind === undefined ? {} : { kind: Kind.parse(kind) };
    const { shots } = await check(`kind,model,prompt\n${cell},${model},p\n`, options);
    expect(shots.map((shot) => shot.kind)).toEqual([expected]);
  });

  it.each([
    ...['5', '5.0', '5,0', '５', '5s', '5 s', '5 sec.', '+5', '05'].map((cell) => ['duration', cell, 5] as const),
    // As Excel may have it.
    ...['16:9', '16:09', '16:09:00', '16 : 9', '16x9', '16/9'].map((cell) => ['aspect_ratio', cell, '16:9'] as const),
    ...['1024x768', '1024 X 768', '1024×768', '1024*768 px'].map((cell) => ['size', cell, '1024x768'] as const),
    ...['TRUE', 'Wahr', 'x', '1'].map((cell) => ['watermark', cell, true] as const),
    ...['faux', '0'].map((cell) => ['watermark', cell, false] as const),
  ])('reads under %s the cell %j as %j', async (column, cell, value) => {
    const row = column === 'size' ? { kind: 'image', model: 'm' } : { model: 'vgen-2.0-nt' };
    const { shots } = await check(Papa.unparse([{ ...row, prompt: 'p', [column]: cell }]));
    expect(shots[0]?.params[column]).toBe(value);
  });
});

describe('a row that needs no model', () => {
  it('is known by the name of its family, which is in no list of models', async () => {
    const { shots, defects } = await check('kind,model,prompt,operation\nimage,,p,typo_generate\n', {
      accountModels: listing('image-demo'),
    });
    expect(told(defects)).toEqual([]);
    expect(shots).toMatchObject([{ kind: 'image', model: 'typo' }]);
  });

  it('sends no model: one that is written gets a warning', async () => {
    const { shots, defects } = await check('kind,model,prompt,operation\nimage,image-demo,p,typo_generate\n');
    expect(told(defects)).toEqual(['warning 2/model "image-demo": This row needs no model: this one is not sent.']);
    expect(shots).toMatchObject([{ model: 'typo' }]);
  });

  it.each(['imagine', 'action'])('may name one, which is sent, for the job-style %s', async (operation) => {
    const action = operation === 'action' ? ',task-1,U1' : ',,';
    const list = (model: string) =>
      check(`kind,model,prompt,operation,action_task,button\nimage,${model},p,${operation}${action}\n`);
    const without = await list('');
    expect(without.defects.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(without.defects.filter(({ column }) => column === 'model')).toEqual([]);
    expect([without.shots, (await list('image-demo')).shots]).toMatchObject([
      [{ model: 'jobimg' }],
      [{ model: 'image-demo' }],
    ]);
  });

  it('is no other row', async () => {
    const { defects } = await check('kind,model,prompt,operation\nimage,,p,generate\n');
    expect(told(defects)).toEqual(['error 2/model "": The model is missing.']);
  });

  it('needs no column for it either, while the others do', async () => {
    const typography = 'image,p,typo_generate';
    const alone = await check(`kind,prompt,operation\n${typography}\n`);
    expect(told(alone.defects)).toEqual([]);
    expect(alone.shots).toMatchObject([{ model: 'typo' }]);
    const mixed = await check(`kind,prompt,operation\n${typography}\nimage,p,generate\n`);
    expect(told(mixed.defects)).toEqual(['error 1/model "kind, prompt, operation": The list has no column model.']);
  });
});

it('a path that is not set stops the rows that need it and no others', async () => {
  const list = 'kind,model,prompt,route\ntext,chat-demo,p,responses\ntext,chat-demo,p,messages\ntext,chat-demo,p,\n';
  const { shots, defects } = await check(list, { settings: settings({ paths: { responses: '' } }) });
  expect(shots.map(({ params }) => params.route)).toEqual(['messages', undefined]);
  expect(errorsOf(defects)).toMatchObject([
    { row: 2, remedy: 'Set it in Settings, under Unconfirmed paths (paths.responses).' },
  ]);
});

it.each([
  ['param.image', 'Shot://010'],
  ['param.images:json', '[{""url"": ""shot://010/2""}]'],
])('a param. column finds no take of another shot: %s', async (header, cell) => {
  const list = `shot,kind,model,prompt,${header}\n010,image,image-demo,p,\n020,video,vgen-2.0-nt,p,"${cell}"\n`;
  const [defect] = errorsOf((await check(list)).defects);
  expect(defect).toMatchObject({ row: 3, column: header, shot: '020' });
  expect(defect?.problem).toMatch(/^In a param\. column a Shot:\/\/ reference is sent as it is/);
});

const settings = (given: object) => Settings.parse(given);

const reference = (url: string, role = 'reference_image', type = 'image', alias?: string) =>
  JSON.stringify([{ media_type: type, role, url, alias }]);

describe('planted defects', () => {
  const video = 'vgen-2.0-cl-fast';
  /** `[what is wrong, cells of one row, column of the defect, its problem, its value where it is not the cell]` */
  const planted: [string, Record<string, string>, string, RegExp, string?][] = [
    ['no model', { model: '', kind: 'video' }, 'model', /model is missing/],
    ['an unknown kind', { kind: 'hologram' }, 'kind', /value does not fit/],
    ['a kind no one can tell', { model: 'acme' }, 'kind', /kind of this row is not known: the model acme/, ''],
    ['an image of a video model', { kind: 'image' }, 'kind', /generates video, not image/],
    ['takes that are no number', { takes: 'many' }, 'takes', /value does not fit/],
    ['takes nobody can read', { takes: '1,000' }, 'takes', /value does not fit/],
    ['half a take', { takes: '1.5' }, 'takes', /value does not fit/],
    ['no takes', { takes: '0' }, 'takes', /value does not fit/],
    ['a skip in between', { skip: 'maybe' }, 'skip', /value does not fit/],
    ['a key of two lines', { shot: 'a\nb' }, 'shot', /one line/],
    ['control characters', { prompt: 'a\u0001b' }, 'prompt', /control characters/],
    ['a spreadsheet error', { prompt: '#NAME?' }, 'prompt', /error of the spreadsheet/],
    ['a text too long', { prompt: 'x'.repeat(40_000) }, 'prompt', /40,000 characters/, `${'x'.repeat(300)}…`],
    ['too short a video', { duration: '3' }, 'duration', /generates videos of 4 to 15 s/],
    ['too long a video', { duration: '16' }, 'duration', /generates videos of 4 to 15 s/],
    ['half a second', { model: 'vgen-2.0-nt', duration: '4.5' }, 'duration', /Only whole seconds/],
    ['any length but 4', { model: 'vgen-2.0-nt-mini', duration: '5' }, 'duration', /generates videos of 4 s only/],
    ['an automatic length of one', { model: 'vgen-2.0-nt-mini', duration: '-1' }, 'duration', /4 s only/],
    ['a duration in minutes', { duration: '5 min' }, 'duration', /value does not fit/],
    ['a duration with frames', { duration: '5', 'param.frames': '120' }, 'duration', /together with frames/],
    ['a fraction of a second, as a number is an integer', { duration: '4.5' }, 'duration', /whole seconds/],
    ['a fraction for a model we do not know', { model: 'vgen-9', duration: '4.5' }, 'duration', /whole seconds/],
    ['a size the model has not', { size: '1080p' }, 'size', /does not support 1080p/],
    ['a ratio that is none', { aspect_ratio: 'wide' }, 'aspect_ratio', /value does not fit/],
    ['no URL', { image: 'https://a b/c.png' }, 'image', /not a valid URL/],
    ['another scheme', { image: 'ftp://a/c.png' }, 'image', /begin with ftp:/],
    ['data in a cell', { image: 'data:image/png;base64,AA' }, 'image', /begin with data:/],
    ['an asset without an id', { image: 'Asset://' }, 'image', /has no ID/],
    ['a video for an image', { image: 'https://a.example/a.MP4?x=1' }, 'image', /a video, but an image/],
    ['a plain video on the CL line', { video: 'https://a.example/a.mp4' }, 'video', /CL line/],
    [
      'a plain video among references on the CL line',
      { references: reference('https://a.example/a', 'reference_video', 'video') },
      'references',
      /CL line/,
    ],
    [
      'frames with reference images',
      { first_frame: 'Asset://1', reference_images: 'Asset://2' },
      'reference_images',
      /cannot be combined/,
    ],
    [
      'mixed roles in references',
      { last_frame: 'Asset://1', references: reference('Asset://2') },
      'references',
      /cannot be combined/,
    ],
    ['two beginnings', { first_frame: 'Asset://1', image: 'Asset://2' }, 'image', /both define how/],
    ['references that are no JSON', { references: '[{“url”}]' }, 'references', /not JSON/],
    ['a role that does not fit', { references: reference('Asset://1', 'reference_audio') }, 'references', /\[1\] role/],
    [
      'references with content',
      { references: reference('Asset://1'), 'param.content:json': '[]' },
      'references',
      /cannot be sent in one request/,
    ],
    ['content without a role', { 'param.content:json': '[{"type":"image_url"}]' }, 'param.content:json', /no role/],
    [
      'an unknown alias',
      { prompt: 'with @zero', references: reference('Asset://1', 'reference_image', 'image', 'hero') },
      'prompt',
      /has the alias zero/,
    ],
    ['a plain image on the SG line', { model: 'vgen-2.0-sg', image: 'https://a.example/1' }, 'image', /SG line/],
    [
      'a plain image on the SG line as an asset',
      { model: 'vgen-2.0-sg-fast', image: 'https://a.example/1', image_source_mode: 'asset' },
      'image',
      /SG line/,
    ],
    [
      'an asset among direct URLs',
      { model: 'vgen-1-sg-x', image: 'https://a.example/1', last_frame: 'Asset://2', image_source_mode: 'direct_url' },
      'last_frame',
      /all images of the row/,
    ],
    ['an avatar that is no id', { avatar_asset_ids: 'a b' }, 'avatar_asset_ids', /has no ID/, 'Asset://a b'],
    ['an unknown source mode', { image_source_mode: 'best' }, 'image_source_mode', /value does not fit/],
    ['the model as a field', { 'param.model': 'x' }, 'param.model', /model is a column/],
    ['the model as a field in another spelling', { 'param.Model': 'x' }, 'param.Model', /model is a column/],
    ['a field sent twice', { duration: '5', 'param.duration': '6' }, 'param.duration', /sends duration twice/],
    [
      'a field sent twice under the name of the service',
      { image: 'Asset://1', 'param.image_url': 'https://a.example/b.png' },
      'param.image_url',
      /sends image twice/,
    ],
    [
      'a field sent twice under an alias of the service',
      { generate_audio: 'FALSE', 'param.generateAudio:json': 'true' },
      'param.generateAudio:json',
      /sends generate_audio twice/,
    ],
    [
      'a field sent twice on the compatible route',
      { size: '720p', 'param.resolution': '480p' },
      'param.resolution',
      /sends size twice/,
    ],
    ['a field that is no JSON', { 'param.x:json': '{' }, 'param.x:json', /not JSON/],
    ['a list of nothing', { reference_images: ' ; | ' }, 'reference_images', /value does not fit/, '; |'],
  ];

  it.each(planted)('%s', async (_what, cells, column, problem, value = cells[column] ?? '') => {
    const row = { shot: 'S1', model: video, prompt: 'p', ...cells };
    const text = Papa.unparse([{ shot: 'S0', model: video, prompt: 'fine' }, row], { columns: Object.keys(row) });
    const { defects, shots } = await check(text);
    const errors = errorsOf(defects);
    expect(errors).toMatchObject([{ row: 3, column, value }]);
    expect(errors[0]?.problem).toMatch(problem);
    expect(errors[0]?.remedy).toMatch(/^[A-Z].*[.?]$/s);
    expect(shots.map(({ key }) => key)).toEqual(['S0']);
  });

  const images: [string, Record<string, string>, string, RegExp][] = [
    ['an edit of nothing', { operation: 'edit' }, 'image', /edit needs a value in image/],
    ['a variation of nothing', { operation: 'variation' }, 'image', /variation needs a value in image/],
    [
      'an edit of a URL',
      { operation: 'edit', image: 'https://a.example/a.png' },
      'image',
      /sent with the request as a file/,
    ],
    ['an edit of an asset', { operation: 'edit', image: 'Asset://1' }, 'image', /sent with the request as a file/],
    ['an edit of a text', { operation: 'edit', image: 'a.txt' }, 'image', /a \.txt file, but an image/],
    ['a mask without an edit', { mask: 'm.png' }, 'mask', /Only edit supports mask/],
    [
      'a source to generate from',
      { operation: 'generate', image: 'm.png' },
      'image',
      /generate does not support image/,
    ],
    ['an image without a word on it', { prompt: '', image: 'm.png' }, 'prompt', /prompt is missing/],
    [
      'a ratio for an edit',
      { operation: 'edit', image: 'm.png', aspect_ratio: '1:1' },
      'aspect_ratio',
      /does not support aspect_ratio/,
    ],
    ['five edited images', { operation: 'edit', image: 'm.png', n: '5' }, 'n', /value does not fit/],
    ['five variations', { operation: 'variation', prompt: '', image: 'm.png', n: '5' }, 'n', /value does not fit/],
    ['an edit without a prompt', { operation: 'edit', prompt: '', image: 'm.png' }, 'prompt', /prompt is missing/],
    ['no image', { n: '0' }, 'n', /value does not fit/],
    ['a size without a height', { size: '1024' }, 'size', /value does not fit/],
    ['an unknown operation', { operation: 'erase', image: 'm.png' }, 'operation', /value does not fit/],
  ];

  it.each(images)('in an image: %s', async (_what, cells, column, problem) => {
    const { defects } = await check(Papa.unparse([{ shot: 'S1', kind: 'image', model: 'm', prompt: 'p', ...cells }]), {
      listFolder: folder,
    });
    const errors = errorsOf(defects);
    expect(errors).toMatchObject([{ row: 2, column, shot: 'S1' }]);
    expect(errors[0]?.problem).toMatch(problem);
  });

  it('on the compatible route include fields that it has not', async () => {
    const text = 'model,prompt,mode,avatar_asset_ids\nvgen-2.0-nt,p,std,1;2\n';
    expect(errorsOf((await check(text)).defects)).toEqual([]);
    const { defects } = await check(text, { settings: settings({ videoRoute: 'compatible' }) });
    expect(errorsOf(defects).map(({ column }) => column)).toEqual(['mode', 'avatar_asset_ids']);
  });

  it('on the compatible route include a source image, which is a first frame there, beside reference images', async () => {
    const text = Papa.unparse([
      { model: 'vgen-2.0-nt', prompt: 'p', image: 'Asset://1', reference_images: 'Asset://2', references: '' },
      { model: 'vgen-2.0-nt', prompt: 'p', image: 'Asset://1', references: reference('Asset://2') },
    ]);
    expect(errorsOf((await check(text)).defects)).toEqual([]);
    const { defects } = await check(text, { settings: settings({ videoRoute: 'compatible' }) });
    expect(errorsOf(defects).map(({ row, column }) => `${row} ${column}`)).toEqual(['2 image', '3 image']);
  });

  it('on the compatible route include content beside a prompt, which is content itself', async () => {
    const text = Papa.unparse([{ model: 'vgen-2.0-nt', prompt: 'p', 'param.content:json': '[]' }]);
    const { defects } = await check(text, { settings: settings({ videoRoute: 'compatible' }) });
    expect(errorsOf(defects)).toMatchObject([{ column: 'param.content:json' }]);
  });

  it('include sides that are no multiples of 16, for the models that the settings name', async () => {
    const text = Papa.unparse([
      { kind: 'image', model: 'pixel-2', prompt: 'p', size: '1000x1000' },
      { kind: 'image', model: 'acme-pro', prompt: 'p', size: '1000x1000' },
    ]);
    const named = settings({ assumed: { sidesOf16Models: ['pixel-*'] } });
    const { defects, shots } = await check(text, { settings: named });
    expect(errorsOf(defects)).toMatchObject([{ row: 2, column: 'size', remedy: 'Write 1008x1008.' }]);
    expect(defects).toContainEqual(expect.objectContaining({ row: 3, column: 'size', severity: 'warning' }));
    expect(shots).toHaveLength(1);
  });

  it('leave a fraction of a second alone where the settings say that the service takes it', async () => {
    const text = 'model,prompt,duration\nvgen-2.0-cl,p,4.5\nvgen-2.0-nt,p,4.5\nvgen-2.0-cl,p,15.5\n';
    const { defects } = await check(text, { settings: settings({ assumed: { fractionalSeconds: 'number' } }) });
    expect(errorsOf(defects).map(({ row }) => row)).toEqual([3, 4]);
  });

  it('include a header that is a field of the service and no column, unless a person keeps it as their own', async () => {
    const text = 'model,prompt,Notify Hook\nvgen-2.0-nt,p,https://a.example/done\n';
    const { defects } = await check(text);
    expect(errorsOf(defects).map(({ row, column }) => `${row} ${column}`)).toEqual(['1 Notify Hook']);
    expect(defects[0]?.remedy).saying(/param\.notifyHook:json/);
    for (const kept of ['', 'param.notifyHook'])
      expect(errorsOf((await check(text, { mapping: { 'Notify Hook': kept } })).defects)).toEqual([]);
  });

  it('are all reported in one pass, in the order of the rows', async () => {
    const { defects, shots } = await check(
      'shot,model,prompt,duration,size\n' +
        'a,vgen-2.0-cl-fast,,99,1080p\n' +
        'b,vgen-2.0-cl-fast,ok,5,720p\n' +
        'a,vgen-2.0-cl-fast,ok,soon,720p\n',
    );
    expect(errorsOf(defects).map(({ row, column }) => `${row} ${column}`)).toEqual([
      '2 prompt',
      '2 duration',
      '2 size',
      '4 shot',
      '4 duration',
    ]);
    expect(defects.find(({ column }) => column === 'shot')?.problem).saying('Row 2 already has the key a.');
    expect(shots.map(({ key }) => key)).toEqual(['b']);
  });

  it('are named by the header as it is written in the list', async () => {
    const { defects } = await check('Code,Model,Description,Seconds\n7,vgen-2.0-nt,p,99\n');
    expect(errorsOf(defects)).toMatchObject([{ row: 2, column: 'Seconds', shot: '7', value: '99' }]);
  });

  it('include what is wrong with the list as a whole', async () => {
    expect(told((await check('')).defects)).toEqual(['error 1/ "": The list is empty.']);
    expect(told((await check('a,b\n1,2\n')).defects)[0]).toMatch(/None of the headers is model or prompt/);
    expect(errorsOf((await check('shot,prompt\n1,a\n2,b\n')).defects)).toMatchObject([{ row: 1, column: 'model' }]);
    expect(told((await check('model,prompt\n')).defects)[0]).toMatch(/headers, but no rows/);
  });

  it('include the comma that was not quoted', async () => {
    const { defects } = await check('model,prompt\nvgen-2.0-nt,a boat, at dawn\n');
    expect(errorsOf(defects)).toMatchObject([
      { row: 2, value: 'at dawn', problem: 'The row has 3 cells, but the list has 2 columns.' },
    ]);
  });

  it('include cells that mean the same and differ', async () => {
    const { defects } = await check('model,prompt,size,resolution\nvgen-2.0-nt,p,480p,720p\nvgen-2.0-nt,p,480p,480p\n');
    expect(errorsOf(defects)).toMatchObject([{ row: 2, column: 'resolution', value: '720p' }]);
  });

  const errorsWith = async (...list: Parameters<typeof Papa.unparse>) =>
    errorsOf((await check(Papa.unparse(...list), { listFolder: folder })).defects);

  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lists-'));
    await writeFile(join(folder, 'm.png'), asMedium('m.png', 'x'));
    await writeFile(join(folder, 'empty.png'), '');
    await mkdir(join(folder, 'refs.png'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('include files that are missing, empty or folders, each named', async () => {
    const cells = ['m.png', 'none.png', 'empty.png', 'refs.png', join('..', 'none', 'x.png')];
    const rows = cells.map((image) => ({ kind: 'image', model: 'm', prompt: 'p', operation: 'edit', image }));
    const { defects, shots } = await check(Papa.unparse(rows), { listFolder: folder });
    expect(shots).toHaveLength(1);
    expect(errorsOf(defects).map(({ row, column, value, problem }) => [row, column, value, problem])).toEqual([
      [3, 'image', 'none.png', `The file ${join(folder, 'none.png')} was not found.`],
      [4, 'image', 'empty.png', `The file ${join(folder, 'empty.png')} is empty.`],
      [5, 'image', 'refs.png', `${join(folder, 'refs.png')} is not a file.`],
      [6, 'image', cells[4], `The file ${join(folder, '..', 'none', 'x.png')} was not found.`],
    ]);
  });

  it('include files that are too large to go inside a request', async () => {
    await writeFile(join(folder, 'huge.png'), asMedium('huge.png', 'x'));
    await truncate(join(folder, 'huge.png'), 12_000_000);
    const rows = ['blend', 'edit'].map((operation) => ({ model: 'image-m', prompt: 'p', operation, shot: operation }));
    const cells = [{ blend_images: 'm.png; huge.png' }, { image: 'huge.png' }];
    const errors = await errorsWith({
      fields: ['shot', 'model', 'prompt', 'operation', 'blend_images', 'image'],
      data: rows.map((row, index) => ({ ...row, ...cells[index] })),
    });
    expect(errors.map(({ row, column, value, problem }) => [row, column, value, problem])).toEqual([
      [
        2,
        'blend_images',
        'huge.png',
        `${join(folder, 'huge.png')} is ${bytesForPeople(12_000_000)}. The limit is ${bytesForPeople(10_000_000)}.`,
      ],
    ]);
  });

  it('include files whose content is not the medium that is asked for, whatever they are called', async () => {
    await writeFile(join(folder, 'id_ed25519'), '-----BEGIN OPENSSH PRIVATE KEY-----');
    await writeFile(join(folder, 'secret.png'), '-----BEGIN OPENSSH PRIVATE KEY-----');
    const files = ['id_ed25519', 'secret.png', 'm.png'];
    const errors = await errorsWith(files.map((file) => ({ model: 'vgen-2.0-cl', prompt: 'p', first_frame: file })));
    expect(errors.map(({ row, column, problem }) => [row, column, problem])).toEqual([
      [2, 'first_frame', `${join(folder, 'id_ed25519')} does not contain an image. It is not sent.`],
      [3, 'first_frame', `${join(folder, 'secret.png')} does not contain an image. It is not sent.`],
    ]);
  });

  it('include nothing of what a file holds that lies elsewhere: no one agreed to open it', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'dailies-elsewhere-'));
    const secret = join(elsewhere, 'secret.png');
    await writeFile(secret, '-----BEGIN OPENSSH PRIVATE KEY-----');
    const errors = await errorsWith([{ model: 'vgen-2.0-cl', prompt: 'p', first_frame: secret }]);
    expect(errors).toEqual([]);
    await rm(elsewhere, { recursive: true });
  });

  it('include a device and a pipe, which are not opened', async () => {
    const pipe = join(folder, 'pipe.png');
    execFileSync('mkfifo', [pipe]);
    const errors = await errorsWith(
      [pipe, '/dev/zero'].map((file) => ({ model: 'vgen-2.0-cl', prompt: 'p', first_frame: file })),
    );
    expect(errors.map(({ problem }) => problem)).toEqual([`${pipe} is not a file.`, '/dev/zero is not a file.']);
  });

  it.each([
    '\\\\host\\share\\x.png',
    '//host/share/x.png',
    '\\/host/x.png',
    '\\\\?\\C:\\x.png',
    '\\\\.\\pipe\\x',
    '\\??\\UNC\\host\\x.png',
    'file://host/share/x.png',
    'file:////host/x.png',
    '"//host/share/x.png"',
    'CON',
    'refs/nul.png',
    'COM1 .png',
    'lpt1:',
  ])('include a path to another machine or a device, which is not looked at: %s', async (cell) => {
    const references = JSON.stringify([
      { media_type: 'image', role: 'reference_image', url: cell.replaceAll('"', '') },
    ]);
    for (const media of [{ first_frame: cell }, { reference_images: `m.png;${cell}` }, { references }]) {
      const text = Papa.unparse([{ model: 'vgen-2.0-cl', prompt: 'p', ...media }]);
      const { defects } = await check(text, { listFolder: folder });
      const column = Object.keys(media)[0];
      expect(errorsOf(defects)).toMatchObject([
        { row: 2, column, problem: 'The path leads to another computer or to a device. Dailies did not open it.' },
      ]);
    }
  });

  it('leave local files of videos alone, which are uploaded, if they exist', async () => {
    const errors = await errorsWith([
      { model: 'vgen-2.0-cl', prompt: 'p', image: 'm.png', video: '' },
      { model: 'vgen-2.0-cl', prompt: 'p', image: 'gone.png', video: '' },
      { model: 'vgen-2.0-cl', prompt: 'p', image: '', video: '"here.mp4"' },
    ]);
    expect(errors.map(({ row, column }) => `${row} ${column}`)).toEqual(['3 image', '4 video']);
  });
});

it('a row without a prompt is an error where nothing else in it says what to make: it would be paid for', async () => {
  const text = Papa.unparse([
    { kind: 'video', model: 'vgen-2.0-nt', prompt: '', image: '', style: '', 'param.messages': '' },
    { kind: 'video', model: 'vgen-2.0-nt', prompt: '', image: 'Asset://1', style: '', 'param.messages': '' },
    { kind: 'image', model: 'vgen', prompt: '', image: '', style: '', 'param.messages': '' },
    { kind: 'image', model: 'vgen', prompt: '', image: '', style: '', 'param.messages': 'A lamp' },
    { kind: 'music', model: 'vgen', prompt: '', image: '', style: 'folk', 'param.messages': '' },
  ]);
  const { defects, shots } = await check(text, { accountModels: listing('vgen-2.0-nt', 'vgen') });
  expect(told(defects).map((line) => line.slice(0, 38))).toEqual([
    'error 2/prompt "": The prompt is missi',
    'error 4/prompt "": The prompt is missi',
  ]);
  expect(shots).toHaveLength(3);
});

describe('warnings', () => {
  it('count the images that a generation asks for above four, which may be what its model makes', async () => {
    const { defects, shots } = await check('kind,model,prompt,n\nimage,m,p,12\n', { accountModels: listing('m') });
    expect(told(defects)).toEqual([
      'warning 2/n "12": Each take of this row requests 12 images. Each image may be charged.',
    ]);
    expect(shots[0]?.params.n).toBe(12);
  });

  it('name an unknown model once', async () => {
    const { defects, shots } = await check('kind,model,prompt\nimage,x,a\nimage,x,b\nimage,y,c\n');
    expect(told(defects)).toEqual([
      'warning 2/model "x": Dailies does not know the model x, so its limits are not checked.',
      'warning 4/model "y": Dailies does not know the model y, so its limits are not checked.',
    ]);
    expect(shots).toHaveLength(3);
  });

  it('follow the models of the account, when they were read', async () => {
    const accountModels = listing('x');
    const { defects } = await check('kind,model,prompt\nimage,x,a\nvideo,vgen-2.0-nt,b\n', { accountModels });
    expect(told(defects)).toEqual([
      'warning 3/model "vgen-2.0-nt": The service does not list the model vgen-2.0-nt for your account. It will probably refuse it.',
    ]);
  });

  it('do not say that an unlisted model is in order, and name the listed one that was probably meant', async () => {
    const accountModels = listing('image-demo');
    const { defects } = await check('kind,model,prompt\nimage,image-dmeo,a\nimage,other,b\n', { accountModels });
    expect(inWords(defects).map(({ remedy }) => remedy)).toEqual([
      'Correct the ID. Did you mean image-demo?',
      'Enter a model ID from the service’s list.',
    ]);
  });

  it('tell which cells are not sent', async () => {
    const { defects } = await check('kind,model,prompt,duration,\nmusic,vmusic,a,5,lost\n');
    expect(told(defects).slice(0, 2)).toEqual([
      'warning 2/ "lost": Column 5 has no header. This cell is ignored.',
      'warning 2/duration "5": Rows of the kind music have no duration. This cell is not sent.',
    ]);
  });

  it('tell of characters that were lost in a wrong encoding', async () => {
    const { bytes } = { bytes: Uint8Array.from([...bytesOf('model,prompt\nvgen-2.0-nt,Caf'), 0xe9, 0x0a]) };
    const { defects } = await checkList(await readTable({ bytes }, { encoding: 'utf-8' }), { listFolder: '/' });
    expect(told(defects)).toEqual(['warning 2/prompt "Caf\uFFFD": Some characters could not be read.']);
  });

  it('mention more reference images than any model is known to take', async () => {
    const list = [1, 2, 3, 4, 5, 6].map((id) => `Asset://${id}`).join(';');
    const { defects, shots } = await check(`model,prompt,reference_images\nvgen-2.0-nt,p,${list}\n`);
    expect(defects).toMatchObject([{ severity: 'warning', column: 'reference_images' }]);
    expect(shots).toHaveLength(1);
  });
});

describe('an @ in a prompt', () => {
  const hero = JSON.stringify([{ media_type: 'image', role: 'reference_image', url: 'Asset://1', alias: 'hero' }]);
  const nameless = JSON.stringify([{ media_type: 'image', role: 'reference_image', url: 'Asset://1' }]);
  const errorsIn = async (prompt: string, references: string, others: object[] = []) =>
    errorsOf((await check(Papa.unparse([{ model: 'vgen-2.0-nt', prompt, references }, ...others]))).defects).filter(
      ({ row }) => row === 2,
    );

  it.each([
    ['a known alias', 'with @hero, and 让@hero走路', hero],
    ['an e-mail address', 'mail me@example.com, @hero', hero],
    ['a handle in a row without references', 'as seen at @museum', ''],
    ['a name the service may have given', '@image1 walks', nameless],
  ])('is left alone when it is %s', async (_what, prompt, references) => {
    expect(await errorsIn(prompt, references)).toEqual([]);
  });

  it('is an alias when another row defines it', async () => {
    const other = { model: 'vgen-2.0-nt', prompt: '@hero', references: hero };
    expect(await errorsIn('@hero runs', '', [other])).toMatchObject([
      { column: 'prompt', problem: 'No reference of this row has the alias hero.' },
    ]);
  });
});

it('never throws, whatever the cells', async () => {
  const headers = [...new Set(Kind.options.flatMap((kind) => columnsFor(kind).map(({ name }) => name)))];
  const cell = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom(
      ...'TRUE 5 -1 1e9 edit [] {} null [{"url":1}] Asset://1 @hero https:// 16:9 video music'.split(' '),
    ),
    fc.json(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(cell, { maxLength: headers.length + 2 }), { maxLength: 4 }), async (rows) => {
      const table = await tableOf('a\n');
      const rowNumbers = rows.map((_, place) => place + 2);
      const list = { ...table, headers: [...headers, 'param.x', 'param.y:json', 'Scene'], rows, rowNumbers };
      const { shots, defects, skipped } = await checkList(list, { listFolder: '/nowhere' });
      const broken = new Set(errorsOf(defects).map(({ row }) => row));
      broken.delete(list.headerRow);
      expect(shots.length + broken.size + skipped).toBe(rows.length);
      for (const { problem, remedy, row } of defects) {
        expect(problem).not.toBe('');
        expect(remedy).not.toBe('');
        expect(row).toBeGreaterThan(0);
      }
    }),
    { numRuns: 50 },
  );
});

describe('a list that is made to be heavy', () => {
  const rows = 'model,prompt,mine\nvgen-2.0-cl,x,';

  it('has its long cells told by row and column, in columns of one’s own too', async () => {
    const { defects, shots } = await check(`${rows}${'a'.repeat(32_768)}\n`);
    expect(told(defects).map((line) => line.replace(/a{9,}…/, 'a…'))).toEqual([
      'error 2/mine "a…": This text has 32,768 characters. The limit is 32,767.',
    ]);
    expect(shots).toEqual([]);
  });

  it('has its long headers told by column', async () => {
    const { defects } = await check(`model,prompt,param.${' '.repeat(100_000)}x\n`);
    expect(errorsOf(defects)[0]).toMatchObject({
      row: 1,
      problem: 'This text has 100,007 characters. The limit is 1,000.',
    });
  });

  it('has its wide and its endless rows told', async () => {
    const wide = await check(`model,prompt\nx,y\n${','.repeat(16_384)}\n`);
    expect(told(wide.defects)).toContain('error 3/ "": The row has more than 16,384 cells.');
    const endless = await check(`model,prompt\n${'a'.repeat(5 * 1024 * 1024)}`);
    expect(told(endless.defects)).toContain('error 2/ "": The row has more than 4,000,000 characters.');
  });

  it('keeps a thousand columns of one name apart without comparing each with each', async () => {
    const { columns } = await check(`model,prompt${',mine'.repeat(1000)}\n`);
    const names = columns.map(({ meaning }) => (meaning.is === 'other' ? meaning.name : ''));
    expect(new Set(names).size).toBe(1001);
  });
});
