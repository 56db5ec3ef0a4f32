import type { Settings } from '../../../contract/settings.ts';

type Appearance = Settings['appearance'];

const KEY = 'dailies.appearance';

const systemIsLight = window.matchMedia('(prefers-color-scheme: light)');

/** Dark, light, or as the system has it. */
class Theme {
  #appearance = $state<Appearance>(remembered());
  #systemLight = $state(systemIsLight.matches);

  constructor() {
    systemIsLight.addEventListener('change', (event) => {
      this.#systemLight = event.matches;
    });
  }

  get appearance(): Appearance {
    return this.#appearance;
  }

  get resolved(): 'dark' | 'light' {
    if (this.#appearance !== 'system') return this.#appearance;
    return this.#systemLight ? 'light' : 'dark';
  }

  set(appearance: Appearance): void {
    this.#appearance = appearance;
    localStorage.setItem(KEY, appearance);
  }
}

/** Remembered in the window too, so that it opens in its own light before the settings have been read. */
function remembered(): Appearance {
  const stored = localStorage.getItem(KEY);
  return stored === 'light' || stored === 'system' ? stored : 'dark';
}

export const theme = new Theme();
