import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { checkMessages } from '../../scripts/messages.ts';
import { languageFor, say, sayMessage, speak } from '../../src/contract/messages/words.ts';

afterEach(() => speak('en'));

describe('the texts', () => {
  it('are whole in every language, and their types are current: npm run messages', async () => {
    const { types, problems } = await checkMessages();
    expect(problems).toEqual([]);
    expect(readFileSync('src/contract/messages/parameters.ts', 'utf8')).toBe(types);
  });

  it('have numbers and plurals of the language', () => {
    expect(say('status.running', { done: 1200, total: 1 })).toBe('1,200 of 1 take');
    expect(say('status.running', { done: 0, total: 3000 })).toBe('0 of 3,000 takes');
    speak('zh-CN');
    expect(say('status.running', { done: 1200, total: 3000 })).toBe('1,200/3,000 个镜次');
  });

  it('are made from a key and its values where they are shown', () => {
    expect(sayMessage({ key: 'notification.done', values: { batch: 'Day 1' } })).toBe('“Day 1” is done');
    expect(sayMessage({ key: 'status.starting' })).toBe('Starting');
  });

  it.each(['<b>{count}</b>', '{reason, select, other {x}}', "'{", '__proto__'])('take %s as it is', (batch) => {
    expect(say('notification.done', { batch })).toBe(`“${batch}” is done`);
  });

  it.each([
    [['zh-Hans-CN', 'en'], 'zh-CN'],
    [['zh_TW.UTF-8'], 'zh-CN'],
    [['de-DE', 'zh'], 'zh-CN'],
    [['C.UTF-8'], 'en'],
    [['', 'POSIX'], 'en'],
    [[], 'en'],
  ] as const)('are in the language that fits %j best', (preferred, language) => {
    expect(languageFor(preferred)).toBe(language);
  });
});
