import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../src/contract/settings.ts';
import { readSettings, settingsStore } from '../../src/host/settings-file.ts';

describe('a folder in the settings', () => {
  let folder = '';
  const path = (...names: string[]) => join(folder, ...names);
  const store = () => settingsStore(path('data'), Settings.parse({}));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-folders-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is none at first, and none again when it is emptied', () => {
    const settings = store();
    expect(settings.get()).toMatchObject({ projectsFolder: '', selectsFolder: '' });
    settings.change({ projectsFolder: folder });
    expect(settings.change({ projectsFolder: '' }).projectsFolder).toBe('');
    expect(readSettings(path('data')).projectsFolder).toBe('');
  });

  it('is kept tidied, and left as it is where it is there', () => {
    mkdirSync(path('films'));
    writeFileSync(path('films', 'notes.txt'), 'here');
    const changed = store().change({ projectsFolder: `${path('other', '..', 'films')}/` });
    expect(changed).toMatchObject({ projectsFolder: path('films'), selectsFolder: '' });
    expect(readSettings(path('data')).projectsFolder).toBe(path('films'));
    expect(readFileSync(path('films', 'notes.txt'), 'utf8')).toBe('here');
    expect(existsSync(path('other'))).toBe(false);
  });

  it('is made with the ones above it where it is not', () => {
    store().change({ selectsFolder: path('handed', 'over') });
    expect(statSync(path('handed', 'over')).isDirectory()).toBe(true);
  });

  it.each([
    ['films', 'This is not the full path of a folder.'],
    [' ', 'This is not the full path of a folder.'],
    ['~/films', 'This is not the full path of a folder.'],
  ])('is refused as %j, and nothing is changed', (given, words) => {
    const settings = store();
    expect(() => settings.change({ projectsFolder: given, currency: 'EUR' })).toThrow(words);
    expect(settings.get()).toEqual(Settings.parse({}));
    expect(existsSync(path('data'))).toBe(false);
  });

  it('is refused where a file is in the way, which is said', () => {
    writeFileSync(path('notes.txt'), '');
    const settings = store();
    expect(() => settings.change({ selectsFolder: path('notes.txt') })).toThrow('there is a file in its place');
    expect(() => settings.change({ selectsFolder: path('notes.txt', 'in') })).toThrow(
      `${path('notes.txt', 'in')} is not there and cannot be made: there is a file on the way to it.`,
    );
  });

  it('that has gone since keeps nobody from the other settings', () => {
    store().change({ projectsFolder: path('films') });
    rmSync(path('films'), { recursive: true });
    const again = settingsStore(path('data'), readSettings(path('data')));
    expect(again.change({ currency: 'EUR' })).toMatchObject({ projectsFolder: path('films'), currency: 'EUR' });
    expect(existsSync(path('films'))).toBe(false);
  });
});
