import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  escapePrompt,
  expandPrompt,
  PromptVariable,
  VariableName,
  toVariables,
} from '../../src/contract/prompt-library.ts';

const variables = new Map([
  ['hero', 'a tall woman in a red coat'],
  ['loop', 'see {loop} and {hero}'],
  ['主角', '穿红外套的女人'],
]);

describe('a prompt with variables', () => {
  it('gets their texts, wherever their names stand between braces', () => {
    expect(expandPrompt('{hero} at the pier; {hero}’s hand', variables).text).toBe(
      'a tall woman in a red coat at the pier; a tall woman in a red coat’s hand',
    );
    expect(expandPrompt('{主角}站在码头', variables).text).toBe('穿红外套的女人站在码头');
    expect(expandPrompt('hero, { hero }, {hero', variables)).toEqual({ text: 'hero, { hero }, {hero', unknown: [] });
  });

  it('keeps braces that name nothing, and tells of each once', () => {
    expect(expandPrompt('{villain} and {villain}, {"a": 1}, {hero}', variables)).toEqual({
      text: '{villain} and {villain}, {"a": 1}, a tall woman in a red coat',
      unknown: ['villain'],
    });
    expect(expandPrompt('{constructor} {__proto__}', variables).text).toBe('{constructor} {__proto__}');
  });

  it('sends a name between two braces as it is written, with one of each', () => {
    expect(expandPrompt('{{hero}} is {hero}', variables)).toEqual({
      text: '{hero} is a tall woman in a red coat',
      unknown: [],
    });
    expect(expandPrompt('{{villain}}, {{{villain}}}', variables)).toEqual({
      text: '{villain}, {{villain}}',
      unknown: [],
    });
    expect(expandPrompt('{{hero}', variables).text).toBe('{a tall woman in a red coat');
  });

  it('that was sent is written so that it is sent again as it was', () => {
    const prompt = fc.string({ unit: fc.constantFrom('{', '}', 'hero', 'x', ' ', '-') });
    fc.assert(
      fc.property(prompt, (sent) => {
        expect(expandPrompt(escapePrompt(sent), variables)).toEqual({ text: sent, unknown: [] });
      }),
    );
  });

  it('takes a text as it is: what it holds between braces is no variable', () => {
    expect(expandPrompt('{loop}', variables)).toEqual({ text: 'see {loop} and {hero}', unknown: [] });
  });

  it('stays within bounds, however often a long text is named', () => {
    const long = new Map([['a', 'x'.repeat(10_000)]]);
    expect(expandPrompt('{a}'.repeat(10_000), long).text.length).toBeLessThan(200_000);
  });

  it('without names is what it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (prompt) => {
        expect(expandPrompt(prompt.replaceAll('{', ''), variables).text).toBe(prompt.replaceAll('{', ''));
        expect(expandPrompt(prompt, new Map()).text).toBe(prompt);
      }),
    );
  });
});

it('a project’s own text goes before that of every project', () => {
  const all = [
    { projectId: 'film', name: 'hero', text: 'hers' },
    { projectId: null, name: 'hero', text: 'everyone’s' },
    { projectId: null, name: 'sea', text: 'grey' },
  ];
  expect([...toVariables(all)]).toEqual([
    ['hero', 'hers'],
    ['sea', 'grey'],
  ]);
});

it('a name begins with a letter, and a text says something', () => {
  expect(['hero', '_x', 'a-1', '主角', 'नायक'].every((name) => VariableName.safeParse(name).success)).toBe(true);
  expect(['', '1a', '-a', 'a b', 'a}', 'x'.repeat(41)].some((name) => VariableName.safeParse(name).success)).toBe(
    false,
  );
  expect(PromptVariable.safeParse({ projectId: null, name: 'a', text: '  ' }).success).toBe(false);
});
