import { describe, expect, it } from 'vitest';
import { driverOf, taskPathOf } from '../../../src/engine/kinds/index.ts';
import { contextOf, shotOf } from './support.ts';

const driver = driverOf('music');

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

  it('has one entry and asks where the settings say', () => {
    expect(driver.optionalEntry).toBeUndefined();
    expect(taskPathOf(shotOf({ kind: 'music' }), 'x', contextOf().settings)).toBe('/v1/tasks/x');
  });
});
