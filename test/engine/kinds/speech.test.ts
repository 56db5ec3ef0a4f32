import { describe, expect, it } from 'vitest';
import { driverFor } from '../../../src/engine/kinds/index.ts';
import { check, errorsOf, told } from '../batches/support.ts';
import { contextOf, shotOf } from './support.ts';

const LIST = 'shot,kind,model';

describe('speech', () => {
  it('is one request with the fields of the reference, answered with the sound', () => {
    const params = { speed: 1.5, response_format: 'opus', voice: 'alto' };
    const request = driverFor('speech').toRequest(
      shotOf({ kind: 'speech', prompt: 'Good night.', params }),
      contextOf(),
    );
    expect(request).toMatchObject({ operation: 'speech.create', path: '/v1/audio/speech', answers: 'bytes' });
    expect(JSON.stringify(request.body)).toBe(
      '{"model":"m","input":"Good night.","voice":"alto","response_format":"opus","speed":1.5}',
    );
  });

  it('goes where the settings say, and is a defect of the list while they say nothing', async () => {
    const context = contextOf({}, { paths: { speech: '/tts' } });
    expect(driverFor('speech').toRequest(shotOf({ kind: 'speech' }), context).path).toBe('/tts');
    const { settings } = contextOf({}, { paths: { speech: '' } });
    const { defects } = await check(`${LIST},prompt,voice\nV1,speech,speech-demo,Hello,alto\n`, { settings });
    expect(told(errorsOf(defects))).toEqual([
      'error 2/kind "speech": The service’s reference does not show the path for “Send speech”.',
    ]);
  });

  it.each([
    ['no voice', 'prompt,voice\nV1,speech,m,Hello,\n', 'error 2/voice "": Speech needs a value in voice.'],
    ['no text', 'prompt,voice,param.x\nV1,speech,m,,alto,y\n', 'error 2/prompt "": The prompt is missing.'],
    ['too much speed', 'prompt,voice,speed\nV1,speech,m,Hello,alto,5\n', 'error 2/speed "5"'],
    [
      'another format',
      'prompt,voice,format,response_format\nV1,speech,m,Hi,alto,,wav\n',
      'error 2/response_format "wav"',
    ],
  ])('is an error of the list with %s', async (_what, rest, defect) => {
    const { defects } = await check(`${LIST},${rest}`);
    expect(told(defects).find((line) => line.startsWith('error'))).toContain(defect);
  });
});

describe('a line or a dialogue', () => {
  it.each(['line', 'Dialogue', 'text'])('is what a row of speech says: %s', async (header) => {
    const { shots } = await check(`${LIST},${header},voice\nV1,speech,m,Hello,alto\n`);
    expect(shots).toMatchObject([{ prompt: 'Hello', params: { voice: 'alto' } }]);
  });

  it('is said by its own rows alone where a list has prompts too', async () => {
    const { shots, defects } = await check(
      `${LIST},prompt,dialogue,voice\nV1,speech,m,,Good night,alto\n1,video,vgen-2.0-nt,A lamp,,\n2,video,vgen-2.0-nt,A sea,Oh,\n`,
    );
    expect(shots.map(({ prompt }) => prompt)).toEqual(['Good night', 'A lamp', 'A sea']);
    expect(shots.flatMap(({ params }) => Object.keys(params))).toEqual(['voice']);
    expect(told(defects)).toContain(
      'warning 4/dialogue "Oh": Rows of the kind video have no dialogue. This cell is not sent.',
    );
  });

  it('is an error beside another prompt', async () => {
    const { defects } = await check(`${LIST},prompt,line,voice\nV1,speech,m,A voice in the dark,Good night,alto\n`);
    expect(told(defects)).toContain(
      'error 2/line "Good night": For speech, “prompt” and “line” mean the same and differ here.',
    );
  });
});
