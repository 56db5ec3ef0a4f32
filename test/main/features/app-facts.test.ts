import { describe, expect, it } from 'vitest';
import { state } from '../electron/index.ts';
import { appFacts } from '../../../src/main/features/diagnostics.ts';

describe('where the app runs', () => {
  it('is told with the type of the session on Linux alone', () => {
    const env = { XDG_SESSION_TYPE: 'wayland', XDG_CURRENT_DESKTOP: 'GNOME' };
    expect(appFacts({ env, platform: 'linux' })[0]).toBe('Session: wayland, GNOME');
    expect(appFacts({ env: {}, platform: 'linux' })[0]).toBe('Session: of unknown type, unknown desktop');
    expect(appFacts({ env, platform: 'darwin' }).join()).not.toContain('Session');
  });

  it('says that the system translates the program', () => {
    state.app.runningUnderARM64Translation = true;
    const facts = appFacts({ env: {}, platform: 'darwin' });
    state.app.runningUnderARM64Translation = false;
    expect(facts).toContain('Translated from another processor by the system.');
  });
});
