import { describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import { driverFor, taskPathFor } from '../../../src/engine/kinds/index.ts';
import { check, errorsOf, told } from '../batches/support.ts';
import { contextOf, findingsOf, shotOf } from './support.ts';

const driver = driverFor('music');

describe('music', () => {
  const params = { tags: 'calm', instrumental: true, custom_mode: false, title: 'T', style: 'S' };

  it('is a generic task with the fields of the reference', () => {
    const request = driver.toRequest(shotOf({ kind: 'music', params }), contextOf());
    expect(request).toMatchObject({ operation: 'tasks.create', path: '/v1/tasks', encoding: 'json', answers: 'task' });
    expect(JSON.stringify(request.body)).toBe(
      '{"model":"m","prompt":"p","style":"S","title":"T","customMode":false,"instrumental":true,"tags":"calm"}',
    );
  });

  it('spells custom_mode as the music submit operation does when the settings name another path', () => {
    const context = contextOf({}, { paths: { musicSubmit: '/v1/music' } });
    const request = driver.toRequest(shotOf({ kind: 'music', params: { custom_mode: true } }), context);
    expect(request.path).toBe('/v1/music');
    expect(request.body).toEqual({ model: 'm', prompt: 'p', custom_mode: true });
  });

  it('has a style at the generic entry alone: the music submit operation takes tags', () => {
    const paths = { musicSubmit: '/v1/music' };
    const styled = shotOf({ kind: 'music', params: { style: 'folk' } });
    const columns = (settings: Settings) =>
      findingsOf(styled, settings).map(({ column, severity }) => `${severity} ${column}`);
    expect(columns(contextOf().settings)).toEqual([]);
    expect(columns(contextOf({}, { paths }).settings)).toEqual(['error style']);
    expect(() => driver.toRequest(styled, contextOf({}, { paths }))).toThrow(/style is no field/);
  });

  it('sings lyrics as the prompt, there being no field for them', () => {
    const shot = shotOf({ kind: 'music', prompt: '', params: { lyrics: 'la la', custom_mode: true, style: 'folk' } });
    expect(driver.toRequest(shot, contextOf()).body).toEqual({
      model: 'm',
      prompt: 'la la',
      style: 'folk',
      customMode: true,
    });
  });

  it('continues a task from a second of it, with audio of its own, by the names of the reference', () => {
    const further = {
      ...{ extend_take: 'task_1', continue_at: 12.5, model_version: 'v4', make_instrumental: true },
      ...{ audio: 'cello.wav', source_audio: 'https://a.example/b.mp3' },
    };
    const context = contextOf({ assets: new Map([['cello.wav', 'Asset://a1']]) });
    expect(driver.toRequest(shotOf({ kind: 'music', params: further }), context).body).toEqual({
      ...{ model: 'm', prompt: 'p', make_instrumental: true, mv: 'v4', task_id: 'task_1', continue_at: 12.5 },
      ...{ audioUrl: 'Asset://a1', sourceAudioUrl: 'https://a.example/b.mp3' },
    });
  });

  it('writes lyrics by model and prompt alone, where the settings say', () => {
    const shot = shotOf({ kind: 'music', params: { operation: 'lyrics' } });
    expect(driver.toRequest(shot, contextOf())).toMatchObject({ path: '/v1/tasks', answers: 'task' });
    expect(driver.toRequest(shot, contextOf()).body).toEqual({ model: 'm', prompt: 'p' });
    const about = {
      ...shot,
      params: { ...shot.params, style: 'S', title: 'T', tags: 'calm' },
      extra: { action: 'lyrics' },
    };
    const elsewhere = contextOf({}, { paths: { lyricsSubmit: '/v1/lyrics', musicSubmit: '' } });
    expect(driver.toRequest(about, elsewhere)).toMatchObject({
      path: '/v1/lyrics',
      body: { model: 'm', prompt: 'p', style: 'S', title: 'T', tags: 'calm', action: 'lyrics' },
    });
  });

  it.each([
    [
      'a song in lyrics',
      'operation,custom_mode\nM1,music,m,p,lyrics,TRUE\n',
      ['error 2/custom_mode "TRUE": lyrics does not support custom_mode.'],
    ],
    [
      'lyrics without a path',
      'operation\nM1,music,m,p,lyrics\n',
      ['error 2/kind "music": The service’s reference does not show the path for “Send lyrics”.'],
    ],
    ['another word', 'operation\nM1,music,m,p,words\n', ['error 2/operation "words": This value does not fit here.']],
  ])('is an error of the list with %s', async (what, rest, expected) => {
    const paths = what.includes('path') ? { lyricsSubmit: '' } : {};
    const { defects } = await check(`shot,kind,model,prompt,${rest}`, { settings: Settings.parse({ paths }) });
    expect(told(errorsOf(defects))).toEqual(expected);
  });

  it('has one entry and asks where the settings say', () => {
    expect(driver.optionalEntry).toBeUndefined();
    expect(taskPathFor(shotOf({ kind: 'music' }), 'x', contextOf().settings)).toBe('/v1/tasks/x');
  });
});

/** What is wrong with the last row of a list of music, as `column: problem`. */
async function errors(columns: string, cells: string): Promise<string[]> {
  const first = `M01,music,music-demo,A cello${','.repeat(columns.split(',').length)}`;
  const text = `shot,kind,model,prompt,${columns}\n${first}\n030,video,vgen-2.0-nt,x${','.repeat(columns.split(',').length)}\nM02,music,music-demo,x,${cells}\n`;
  const { defects } = await check(text);
  return errorsOf(defects).map(({ column, problem }) => `${column}: ${problem}`);
}

it.each([
  ['a task', 'extend_take,continue_at', 'task_1,6', []],
  ['a shot of music', 'extend_take,continue_at', 'Shot://M01,6', []],
  ['audio of its own', 'audio,continue_at', 'https://a.example/a.mp3,6', []],
  ['a task of a field of its own', 'param.task_id,continue_at', 'task_1,6', []],
  ['nothing', 'extend_take,continue_at', ',6', ['continue_at: The row does not say what to continue.']],
  ['a video', 'extend_take', 'Shot://030', ['extend_take: Shot 030 is of the kind video, but music is needed.']],
  [
    'one file of a take',
    'extend_take',
    'Shot://M01/2',
    ['extend_take: This column refers to a whole take, not one of its files.'],
  ],
  ['a shot that is not there', 'extend_take', 'Shot://M09', ['extend_take: No row of the list has the key M09.']],
  ['itself', 'extend_take', 'Shot://M02', ['extend_take: The row refers to itself.']],
])('a row of music may continue what the service can continue: %s', async (_what, columns, cells, expected) => {
  expect(await errors(columns, cells)).toEqual(expected);
});

it('a row may not ask for music with and without voice', async () => {
  expect(await errors('instrumental,make_instrumental', 'TRUE,FALSE')).toEqual([
    'make_instrumental: The row requests music with and without voice.',
  ]);
  expect(await errors('instrumental,make_instrumental', 'TRUE,TRUE')).toEqual([]);
});
