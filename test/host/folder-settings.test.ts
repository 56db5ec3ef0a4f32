import type { Text } from '../../src/contract/messages/message.ts';
import { toText } from '../../src/engine/base/errors.ts';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../src/contract/settings.ts';
import { readSettings, settingsStore } from '../../src/host/settings-file.ts';

function refusalOf(act: () => unknown): Text {
  try {
    act();
  } catch (error) {
    return toText(error);
  }
  throw new Error('Nothing was refused.');
}

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

  it.each(['films', ' ', '~/films'])('is refused as %j, and nothing is changed', (given) => {
    const settings = store();
    expect(refusalOf(() => settings.change({ projectsFolder: given, currency: 'EUR' }))).saying(
      'This is not a full path.',
    );
    expect(settings.get()).toEqual(Settings.parse({}));
    expect(existsSync(path('data'))).toBe(false);
  });

  it('is refused where a file is in the way, which is said', () => {
    writeFileSync(path('notes.txt'), '');
    const settings = store();
    const toFolder = (selectsFolder: string) => refusalOf(() => settings.change({ selectsFolder }));
    expect(toFolder(path('notes.txt'))).saying(/There is a file in its place\.$/);
    const inside = path('notes.txt', 'in');
    expect(toFolder(inside)).saying(
      `The folder ${inside} does not exist and cannot be created. There is a file on the way to it.`,
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
