import { describe, expect, it } from 'vitest';
import {
  differingParts,
  fileFacts,
  parametersFor,
  toDifferences,
  toTaskFacts,
  valueInWords,
} from '../../../src/renderer/views/review/recipe/recipe-facts.ts';
import type { TakeDetails } from '../../../src/contract/review.ts';
import { t } from '../../../src/contract/messages/words.ts';

const parameter = (name: string) => parametersFor('video').find((each) => each.name === name);

describe('the settings of a take', () => {
  it('say yes and no as the form does', () => {
    expect(valueInWords(true, parameter('generate_audio'))).toBe(t('common.yes'));
    expect(valueInWords(false, parameter('generate_audio'))).toBe(t('common.no'));
  });

  it('name the unit of a number, but not of a number that is a code', () => {
    expect(valueInWords(5, parameter('duration'))).toBe('5 s');
    expect(valueInWords(-1, parameter('duration'))).toBe('-1');
  });

  it('leave what has neither as the list has it', () => {
    expect(valueInWords('16:9', parameter('aspect_ratio'))).toBe('16:9');
    expect(valueInWords(['a', 'b'], undefined)).toBe('a; b');
  });
});

it('what the service says of a digital human task is shown by its own names', () => {
  const task = {
    action: 'digital_human_voice',
    data: { voice_id: 7, tags: ['a', 'b'], more: { deep: true }, none: null },
  };
  const details = { recipe: { extras: { buttons: [], prompts: [], task } } } as unknown as TakeDetails;
  expect(toTaskFacts(details)).toEqual([
    { label: t('review.taskAction'), value: 'digital_human_voice' },
    { label: 'voice_id', value: '7' },
    { label: 'tags', value: 'a; b' },
    { label: 'more', value: '{"deep":true}' },
  ]);
  expect(toTaskFacts({ recipe: {} } as unknown as TakeDetails)).toEqual([]);
});

describe('what differs between takes', () => {
  it('is the part of a prompt between the words that they share', () => {
    expect(differingParts(['A fox runs at dawn, wide', 'A fox sleeps at dawn, wide'])).toEqual(['…runs…', '…sleeps…']);
    expect(differingParts(['A fox', 'A fox'])).toEqual(['', '']);
    expect(differingParts(['A fox', 'A fox at dawn'])).toEqual(['', '…at dawn']);
    expect(differingParts(['黎明的狐狸', '黄昏的狐狸'])).toEqual(['黎明…', '黄昏…']);
    expect(differingParts([])).toEqual([]);
  });

  it('is said of each take: model, settings and prompt, with a dash for what one lacks', () => {
    const details = (model: string, params: object, prompt: string) =>
      ({ take: { model }, recipe: { shot: { kind: 'video', prompt, params, extra: {} } } }) as unknown as TakeDetails;
    const [first, second] = toDifferences([
      details('vgen-1', { seed: 4, aspect_ratio: '16:9' }, 'A fox at dawn'),
      details('vgen-1', { aspect_ratio: '16:9' }, 'A fox at dusk'),
    ]);
    expect(first?.map(({ value }) => value)).toEqual(['4', '…dawn']);
    expect(second?.map(({ value }) => value)).toEqual(['–', '…dusk']);
    expect(second?.map(({ label }) => label).at(-1)).toBe(t('common.prompt'));
  });
});

describe('the facts of a file', () => {
  it('are its rate, frames, size and sound', () => {
    const film = { rate: { num: 24_000, den: 1001 }, frames: 96, width: 1920, height: 1080 };
    expect(fileFacts({ ...film, channels: 2, sampleRate: 48_000 })).toBe(
      '23.976 fps · 96 frames · 1920 × 1080 · 48 kHz stereo',
    );
    expect(fileFacts({ ...film, isVariable: true, timecode: { frame: 86_400 } })).toBe(
      '23.976 fps, variable · 96 frames · 1920 × 1080 · Starts at 01:00:00:00',
    );
    expect(fileFacts({ channels: 1, sampleRate: 44_100, seconds: 3 })).toBe('44.1 kHz mono');
    expect(fileFacts({})).toBe('');
  });
});
