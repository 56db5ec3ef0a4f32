import { afterEach, describe, expect, it } from 'vitest';
import { checkMessages } from '../../scripts/messages.ts';
import { outsideTexts, textsOfComponent, textsOfScript } from '../../scripts/outside-texts.ts';
import { languageFor } from '../../src/contract/messages/languages.ts';
import { Text } from '../../src/contract/messages/message.ts';
import { t, sayText, setLanguage } from '../../src/contract/messages/words.ts';

afterEach(() => setLanguage('en'));

describe('the texts', () => {
  it('are whole in every language, with types for what each names', () => {
    const { types, problems } = checkMessages();
    expect(problems).toEqual([]);
    expect(types).toContain("\n  readonly 'notification.done': { readonly batch: Fact };\n");
  });

  it('have numbers and plurals of the language', async () => {
    expect(t('status.running', { done: 1200, total: 1 })).toBe('1,200 of 1 take');
    expect(t('status.running', { done: 0, total: 3000 })).toBe('0 of 3,000 takes');
    await setLanguage('zh-CN');
    expect(t('status.running', { done: 1200, total: 3000 })).toBe('1,200/3,000 条');
  });

  it('are made from a key and its values where they are shown', () => {
    expect(sayText({ key: 'notification.done', values: { batch: 'Day 1' } })).toBe('“Day 1” is finished');
    expect(sayText({ key: 'status.starting' })).toBe('Starting');
  });

  it.each([
    ['failure.downloadBroke', 'The connection to a.test broke after 3 MB (ECONNRESET)'],
    ['failure.downloadBrokeOf', 'The connection to a.test broke after 3 MB of 9 MB (ECONNRESET)'],
    ['failure.taskFailedSilently', 'The service could not generate it: it gave no reason.'],
    ['failure.partGone', 'The finished download of 010 was changed or removed.'],
    ['remedy.makeAgain', 'Change the shot if needed, then generate it again: that is a new task and a new charge.'],
    ['remedy.saveAsXlsx', 'Save it again as .xlsx without a password, or as CSV, and copy it completely.'],
    ['remedy.removeOrReplace', ''],
  ])('that an earlier version stored as %s are said in the words of today', (key, words) => {
    const total = key === 'failure.downloadBrokeOf' ? { total: '9 MB' } : {};
    const values = { host: 'a.test', received: '3 MB', code: 'ECONNRESET', name: '010', needed: 'file', ...total };
    expect(sayText(Text.parse({ key, values }))).toContain(words);
    expect(sayText(Text.parse({ key, values }))).not.toContain(key);
  });

  it.each(['<b>{count}</b>', '{reason, select, other {x}}', "'{", '__proto__'])('take %s as it is', (batch) => {
    expect(t('notification.done', { batch })).toBe(`“${batch}” is finished`);
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

describe('texts outside the deck', () => {
  it('do not come back', () => {
    expect(outsideTexts()).toEqual([]);
  });

  it('are found in a script by how they read or by what they are for, and not in the log', () => {
    const script = [
      "import a from 'A name of a module.';",
      "const label = { label: 'Cancel', action: 'retry', class: 'flex items-center' };",
      "say('cli.noEngine'); logger.warn('The page did not answer');",
      'toast(`Took over ${count} takes.`);',
    ].join('\n');
    expect(textsOfScript(script)).toEqual(['Cancel', 'Took over … takes.']);
  });

  it('are found in a component: as text, in attributes that are read, in what is shown by a condition', () => {
    const component = [
      '<script lang="ts">const title: string = "Add a shot";</script>',
      '<!-- A reason. --><p class="text-sm" title="Close">Take {count}</p>',
      "<Dialog label={busy ? 'Sending' : say('common.cancel')} mode={'wide one'}>{say('common.ok')}</Dialog>",
    ].join('\n');
    expect(textsOfComponent(component).map((text) => text.trim())).toEqual(['Add a shot', 'Close', 'Take', 'Sending']);
  });
});
