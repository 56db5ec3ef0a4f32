import { dialog } from 'electron';
import { beforeEach, describe, expect, it } from 'vitest';
import { toFailedUpdate, relaunchOptions, reportFailedUpdate } from '../../../src/main/features/updates.ts';
import { state } from '../electron/index.ts';
import { t } from '../../../src/contract/messages/words.ts';

describe('a start after an update that could not be put in place', () => {
  beforeEach(() => {
    state.dialogs = [];
  });

  it('is as the start before, without what was opened with it, and says so once', () => {
    const process = {
      argv: ['/opt/dailies', '--disable-gpu', '/films/day1.csv', '--update-failed=1.9.0'],
      execPath: '/opt/dailies',
      env: {},
    };
    expect(relaunchOptions(process, '2.0.0')).toEqual({
      execPath: '/opt/dailies',
      args: ['--disable-gpu', '--update-failed=2.0.0'],
    });
  });

  it('is of the AppImage itself, whose program goes with the app', () => {
    const process = {
      argv: ['/tmp/.mount_Dai/app'],
      execPath: '/tmp/.mount_Dai/app',
      env: { APPIMAGE: '/a/D.AppImage' },
    };
    expect(relaunchOptions(process, '2.0.0')).toMatchObject({ execPath: '/a/D.AppImage' });
  });

  it.each([
    [['dailies'], null],
    [['dailies', '--update-failed=2.0.0-beta.1'], '2.0.0-beta.1'],
    [['dailies', '--update-failed=Pay here: example.com'], null],
  ])('is known by its arguments: %j', (argv, version) => {
    expect(toFailedUpdate(argv)).toBe(version);
  });

  it.each(['macos', 'windows', 'linux'] as const)('tells the person what is the matter, on %s', async (system) => {
    await reportFailedUpdate(dialog, { argv: ['dailies'], version: '1.9.0', system });
    expect(state.dialogs).toEqual([]);
    const told = reportFailedUpdate(dialog, { argv: ['dailies', '--update-failed=2.0.0'], version: '1.9.0', system });
    const [open] = state.dialogs;
    expect(open?.options.message).toBe(t('desktop.updateFailed', { version: '2.0.0' }));
    expect(open?.options.detail).toMatch(/^You still have Dailies 1\.9\.0, and nothing is lost\. Most often /);
    open?.press('OK');
    await told;
  });
});
