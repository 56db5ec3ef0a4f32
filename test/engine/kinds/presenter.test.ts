import { describe, expect, it } from 'vitest';
import { driverFor, taskPathFor } from '../../../src/engine/kinds/index.ts';
import { needsFor } from '../../../src/engine/library/needs.ts';
import { check, errorsOf, told } from '../batches/support.ts';
import { contextOf, findingsOf, resultsRead, shotOf } from './support.ts';

const params = { avatar: 'keeper.mp4', audio: 'Asset://a1', presenter_name: 'Ada', authorization: 'consent.png' };
const assets = new Map([
  ['keeper.mp4', 'Asset://av1'],
  ['consent.png', 'Asset://au1'],
]);
const shot = shotOf({ kind: 'presenter', prompt: '', params });

describe('a presenter', () => {
  it('is a generic task that names its uploaded files', () => {
    const request = driverFor('presenter').toRequest(shot, contextOf({ assets }));
    expect(request).toMatchObject({ operation: 'tasks.create', path: '/v1/tasks', answers: 'task' });
    expect(JSON.stringify(request.body)).toBe(
      '{"model":"m","avatar_asset_id":"av1","audio_url":"Asset://a1","name":"Ada","authorization_asset_id":"au1"}',
    );
    expect(taskPathFor(shotOf({ kind: 'presenter' }), 'x', contextOf().settings)).toBe('/v1/tasks/x');
  });

  it.each([
    ['consent_id', { consent_id: 'au1' }],
    ['', {}],
  ])('names its authorization as the settings say: %j', (authorizationField, named) => {
    const context = contextOf({ assets }, { assumed: { authorizationField } });
    const { body } = driverFor('presenter').toRequest(shot, context);
    expect(body).toEqual({ model: 'm', avatar_asset_id: 'av1', audio_url: 'Asset://a1', name: 'Ada', ...named });
  });

  it('of another operation sends what its row has, under the names of the video, and needs nothing', async () => {
    const params = { operation: 'audio', voice_asset: 'voice.wav', presenter_name: 'Ada' };
    const context = contextOf({ assets: new Map([['voice.wav', 'Asset://v1']]) });
    const spoken = shotOf({ kind: 'presenter', prompt: '', params, extra: { text: 'Light.' } });
    const { body } = driverFor('presenter').toRequest(spoken, context);
    expect(body).toEqual({ model: 'm', voice_asset_id: 'v1', name: 'Ada', text: 'Light.' });
    const named = contextOf({ assets: context.assets }, { assumed: { voiceField: 'speaker' } });
    expect(driverFor('presenter').toRequest(spoken, named).body).toMatchObject({ speaker: 'v1' });
    const rows = ['audio', 'voice', 'avatar'].map((operation, at) => `N${String(at)},presenter,m,${operation}\n`);
    const { defects, shots } = await check(`shot,kind,model,operation\n${rows.join('')}`);
    expect([defects.filter(({ severity }) => severity === 'error'), shots.length]).toEqual([[], 3]);
    for (const each of shots) {
      expect(driverFor('presenter').toRequest(each, contextOf()).body).toEqual({ model: 'm' });
    }
  });

  it('has each file uploaded for its purpose', () => {
    const local = { avatar: 'keeper.mp4', voice_asset: 'voice.wav', audio: 'line.wav', authorization: 'consent' };
    const needs = needsFor(shotOf({ kind: 'presenter', params: local }), '/lists');
    expect(needs.local.map(({ cell, type, purpose, role }) => [cell, type, purpose, role])).toEqual([
      ['keeper.mp4', 'video', 'digital_human_avatar', ''],
      ['voice.wav', 'audio', 'digital_human_voice', ''],
      ['line.wav', 'audio', '', 'reference_audio'],
      ['consent', 'image', 'digital_human_authorization', ''],
    ]);
  });

  it('has its result where digital human tasks show it, whatever their data hold', () => {
    const url = 'https://cdn.example/1.mp4?sig=a%2Fb';
    const task = { task_id: 't', status: 'SUCCESS', result_url: url, data: { url: 'https://cdn.example/in.mp3' } };
    expect(resultsRead('presenter', task)).toEqual([url]);
  });

  it.each([
    ['no avatar', 'audio\nN1,presenter,m,Asset://a\n', 'error 2/avatar "": Presenter needs a value in avatar.'],
    ['no audio', 'avatar\nN1,presenter,m,Asset://a\n', 'error 2/audio "": Presenter needs a value in audio.'],
    [
      'an avatar by address',
      'avatar,audio\nN1,presenter,m,https://a.example/x.png,Asset://a\n',
      'error 2/avatar "https://a.example/x.png": The service takes this only as an asset, not as a URL.',
    ],
    [
      'one asset for two purposes',
      'avatar,audio,authorization\nN1,presenter,m,Asset://a,Asset://b,Asset://a\n',
      'error 2/authorization "Asset://a": avatar is the same file.',
    ],
    [
      'a voice by address',
      'avatar,audio,voice_asset\nN1,presenter,m,Asset://a,Asset://b,https://a.example/x.mp3\n',
      'error 2/voice_asset "https://a.example/x.mp3": The service takes this only as an asset, not as a URL.',
    ],
  ])('is an error of the list with %s', async (_what, rest, defect) => {
    const { defects } = await check(`shot,kind,model,${rest}`);
    expect(told(errorsOf(defects))).toEqual([defect]);
  });

  it('takes a picture, a film or a sound as its avatar and no other file', async () => {
    const listFolder = '/etc';
    const { defects } = await check('shot,kind,model,avatar,audio\nN1,presenter,m,hostname,Asset://a\n', {
      listFolder,
    });
    expect(errorsOf(defects)).toMatchObject([
      {
        problem: expect.saying(
          '/etc/hostname does not contain an image, a video or an audio file. It is not sent.',
        ) as unknown,
      },
    ]);
  });

  it('keeps a prompt and does not send it', () => {
    expect(findingsOf({ ...shot, prompt: 'Smile' })).toMatchObject([{ severity: 'warning', column: 'prompt' }]);
  });
});
