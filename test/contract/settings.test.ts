import { describe, expect, it } from 'vitest';
import { Settings, SettingsChange } from '../../src/contract/settings.ts';

describe('a change of settings', () => {
  it('has the names of the settings, and fills in nothing that was not given', () => {
    expect(SettingsChange.parse(Settings.parse({}))).toEqual(Settings.parse({}));
    expect(SettingsChange.parse({ concurrency: { submit: 2 } })).toEqual({ concurrency: { submit: 2 } });
    expect(SettingsChange.parse({ paths: {}, unknown: 1 })).toEqual({ paths: {} });
    expect(SettingsChange.parse({})).toEqual({});
  });

  it('may be of any value of its type, which the settings themselves then refuse in words', () => {
    expect(SettingsChange.parse({ deadlineHours: -1, nameTemplate: '' })).toEqual({
      deadlineHours: -1,
      nameTemplate: '',
    });
    expect(() => SettingsChange.parse({ deadlineHours: 'never' })).toThrow();
    expect(() => SettingsChange.parse({ appearance: 'blue' })).toThrow();
  });
});
