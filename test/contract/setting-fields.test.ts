import { describe, expect, it } from 'vitest';
import { settingFields, type SettingField } from '../../src/contract/setting-fields.ts';
import { Settings, SettingsChange } from '../../src/contract/settings.ts';
import { settingNames } from '../../src/host/settings-file.ts';

const fields: readonly SettingField[] = Object.values(settingFields).flat();

const changeOf = (name: string, value: unknown): unknown =>
  name.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);

const fits = (name: string, value: unknown): boolean =>
  SettingsChange.safeParse(changeOf(name, value)).success && Settings.safeParse(changeOf(name, value)).success;

describe('the fields of settings', () => {
  it('are settings that `dailies config` names, each once', () => {
    const names = fields.map(({ name }) => name);
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('let a person enter nothing that the settings refuse', () => {
    for (const field of fields) {
      if (field.control === 'choice')
        for (const { value } of field.choices) expect([field.name, value, fits(field.name, value)]).toContain(true);
      if (field.control !== 'number') continue;
      const { min, above = false } = field.rule;
      const least = (above ? min + 1 : min) * (field.scale ?? 1);
      expect([field.name, fits(field.name, least)]).toEqual([field.name, true]);
    }
  });

  it('offer every choice that the settings have', () => {
    for (const field of fields) {
      if (field.control !== 'choice') continue;
      expect([field.name, fits(field.name, 'none of these')]).toEqual([field.name, false]);
    }
    const offered = (name: string) =>
      fields
        .flatMap((field) => (field.name === name && field.control === 'choice' ? field.choices : []))
        .map(({ value }) => value);
    expect(offered('assumed.imageEntry')).toEqual(Settings.shape.assumed.unwrap().shape.imageEntry.unwrap().options);
    expect(offered('assumed.uploadForm')).toEqual(Settings.shape.assumed.unwrap().shape.uploadForm.unwrap().options);
    expect(offered('assumed.fractionalSeconds')).toEqual(
      Settings.shape.assumed.unwrap().shape.fractionalSeconds.unwrap().options,
    );
    expect(offered('language')).toEqual(Settings.shape.language.unwrap().options);
    expect(offered('videoRoute')).toEqual(Settings.shape.videoRoute.unwrap().options);
  });
});
