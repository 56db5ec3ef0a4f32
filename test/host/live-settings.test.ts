import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../src/contract/settings.ts';
import { changeSetting, settingsStore } from '../../src/host/settings-file.ts';

describe('the settings of a data folder in which an engine works', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-settings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const store = () => settingsStore(folder, Settings.parse({ baseUrl: 'https://one.example' }));

  it('are those that another program writes, once', () => {
    const settings = store();
    expect(settings.changedElsewhere()).toBeNull();
    changeSetting(folder, 'currency', 'EUR');
    expect(settings.changedElsewhere()).toMatchObject({ currency: 'EUR' });
    expect(settings.get()).toMatchObject({ currency: 'EUR' });
    expect(settings.changedElsewhere()).toBeNull();
    changeSetting(folder, 'currency', null);
    expect(settings.changedElsewhere()).toMatchObject({ currency: Settings.parse({}).currency });
  });

  it('keep the address that the key in use belongs to', () => {
    const settings = store();
    changeSetting(folder, 'baseUrl', 'https://two.example');
    expect(settings.changedElsewhere()).toBeNull();
    changeSetting(folder, 'currency', 'EUR');
    expect(settings.changedElsewhere()).toMatchObject({ baseUrl: 'https://one.example', currency: 'EUR' });
  });

  it('stay as they were while the file cannot be used', () => {
    const settings = store();
    const file = join(folder, 'settings.json');
    writeFileSync(file, '{"currency": "EU');
    expect(settings.changedElsewhere()).toBeNull();
    expect(settings.get()).toEqual(store().get());
    writeFileSync(file, '{"currency": "EUR"}');
    expect(settings.changedElsewhere()).toMatchObject({ currency: 'EUR' });
  });

  it('are no news when the window wrote them itself', () => {
    const settings = store();
    settings.change({ currency: 'EUR' });
    expect(settings.changedElsewhere()).toBeNull();
  });

  it('keep what another program wrote when the window changes something else', () => {
    const settings = store();
    changeSetting(folder, 'currency', 'EUR');
    settings.change({ selectsFolder: '' });
    expect(settings.changedElsewhere()).toMatchObject({ currency: 'EUR' });
  });
});
