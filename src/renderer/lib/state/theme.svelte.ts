import type { Settings } from '../../../contract/settings.ts';
import { Persisted } from './persisted.svelte.ts';

type Appearance = Settings['appearance'];

const isAppearance = (stored: unknown): stored is Appearance =>
  stored === 'dark' || stored === 'light' || stored === 'system';

const systemIsLight = window.matchMedia('(prefers-color-scheme: light)');

class Theme {
  /** Remembered in the window too, so that it opens in its own light before the settings have been read. */
  readonly #appearance = new Persisted<Appearance>('appearance', 'dark', isAppearance);
  #systemLight = $state(systemIsLight.matches);

  constructor() {
    systemIsLight.addEventListener('change', (event) => {
      this.#systemLight = event.matches;
    });
  }

  get appearance(): Appearance {
    return this.#appearance.current;
  }

  get resolved(): 'dark' | 'light' {
    if (this.appearance !== 'system') return this.appearance;
    return this.#systemLight ? 'light' : 'dark';
  }

  set(appearance: Appearance): void {
    this.#appearance.current = appearance;
  }
}

export const theme = new Theme();
