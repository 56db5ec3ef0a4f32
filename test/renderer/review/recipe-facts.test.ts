import { describe, expect, it } from 'vitest';
import { parametersOf, valueInWords } from '../../../src/renderer/views/review/recipe/recipe-facts.ts';
import { say } from '../../../src/contract/messages/words.ts';

const parameter = (name: string) => parametersOf('video').find((each) => each.name === name);

describe('the settings of a take', () => {
  it('say yes and no as the form does', () => {
    expect(valueInWords(true, parameter('generate_audio'))).toBe(say('common.yes'));
    expect(valueInWords(false, parameter('generate_audio'))).toBe(say('common.no'));
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
