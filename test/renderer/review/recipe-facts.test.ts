import { describe, expect, it } from 'vitest';
import { parametersFor, toTaskFacts, valueInWords } from '../../../src/renderer/views/review/recipe/recipe-facts.ts';
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
