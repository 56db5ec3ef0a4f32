import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setLanguage, spoken } from '../../src/contract/messages/words.ts';
import { followLanguage, restoreLanguage } from '../../src/renderer/lib/state/language.ts';

describe('the language of a window', () => {
  const document = { documentElement: { lang: '' } };
  const reload = vi.fn();

  beforeEach(() => {
    // What Chromium says in a package that has English and Chinese, on a system in Chinese.
    vi.stubGlobal('navigator', { languages: ['en-US', 'zh-CN'] });
    vi.stubGlobal('document', document);
    const stored = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
    });
    reload.mockClear();
  });

  afterEach(async () => {
    vi.unstubAllGlobals();
    await setLanguage('en');
  });

  const openAt = async (search: string): Promise<void> => {
    vi.stubGlobal('location', { search, reload });
    await restoreLanguage();
  };

  it.each([
    { where: 'in the app, is what main says of the system', search: '?language=zh-CN', language: 'zh-CN' },
    { where: 'in a browser, is what the browser says', search: '', language: 'en' },
  ])('$where', async ({ search, language }) => {
    await openAt(search);
    expect([spoken(), document.documentElement.lang]).toEqual([language, language]);
  });

  it('is that of the setting, where there is one, and of the system again without it', async () => {
    await openAt('?language=zh-CN');
    followLanguage('en');
    expect(reload).toHaveBeenCalledOnce();
    await openAt('?language=zh-CN');
    expect(spoken()).toBe('en');
    followLanguage('system');
    expect(reload).toHaveBeenCalledTimes(2);
    await openAt('?language=zh-CN');
    expect(spoken()).toBe('zh-CN');
  });
});
