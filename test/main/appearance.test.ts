import { nativeTheme } from 'electron';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { beginWithAppearance, windowOptions } from '../../src/main/window.ts';

describe('the light of frame, menus and dialogues', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-light-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    [{}, 'dark', '#141414'],
    [{ appearance: 'light' }, 'light', '#fafafa'],
    [{ appearance: 'system' }, 'system', '#fafafa'],
  ])('is at the start that of the settings: %j', (settings, source, ground) => {
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
    beginWithAppearance(folder);
    expect({ source: nativeTheme.themeSource, ground: windowOptions(null as never, '').backgroundColor }).toEqual({
      source,
      ground,
    });
  });

  it('is dark while the settings cannot be read', () => {
    mkdirSync(join(folder, 'settings.json'));
    beginWithAppearance(folder);
    expect(nativeTheme.themeSource).toBe('dark');
  });
});
