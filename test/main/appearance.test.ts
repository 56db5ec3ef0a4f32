import { nativeTheme } from 'electron';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Changes } from '../../src/contract/events.ts';
import { beginWithAppearance, followAppearance, groundOf } from '../../src/main/appearance.ts';
import { MemoryLog } from '../support/world.ts';

describe('the light of frame, menus and dialogues', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dailies-light-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    [{}, 'dark', '#141414'],
    [{ appearance: 'light' }, 'light', '#ebebeb'],
    [{ appearance: 'system' }, 'system', '#ebebeb'],
  ])('is at the start that of the settings: %j', (settings, source, ground) => {
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
    beginWithAppearance(nativeTheme, folder);
    expect({ source: nativeTheme.themeSource, ground: groundOf(nativeTheme) }).toEqual({ source, ground });
  });

  it('is dark while the settings cannot be read', () => {
    mkdirSync(join(folder, 'settings.json'));
    beginWithAppearance(nativeTheme, folder);
    expect(nativeTheme.themeSource).toBe('dark');
  });

  it('goes with the settings when they change', async () => {
    let appearance = 'light';
    let tell: (changes: Pick<Changes, 'resync' | 'settings'>) => void = () => undefined;
    const get = () => Promise.resolve({ settings: { appearance } });
    followAppearance(nativeTheme, {
      client: { settings: { get } } as never,
      listen(listener) {
        tell = listener as typeof tell;
        return () => undefined;
      },
      logger: new MemoryLog(),
    });
    tell({ resync: true, settings: false });
    await setImmediate();
    expect(nativeTheme.themeSource).toBe('light');
    appearance = 'system';
    tell({ resync: false, settings: false });
    await setImmediate();
    expect(nativeTheme.themeSource).toBe('light');
    tell({ resync: false, settings: true });
    await setImmediate();
    expect(nativeTheme.themeSource).toBe('system');
  });
});
