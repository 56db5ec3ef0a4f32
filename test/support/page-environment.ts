import type { Environment } from 'vitest/runtime';

/**
 * Node.js without a page, with code compiled as for one: state and effects are those of a window. Modules may listen for
 * what happens to the window as they load; nothing happens here.
 */
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup: (global: { addEventListener?: () => void; window?: object; location?: object }) => {
    const page = {
      window: global,
      location: { origin: 'http://127.0.0.1', hash: '' },
      addEventListener: () => undefined,
    };
    Object.assign(global, page);
    return {
      teardown: () => {
        delete global.addEventListener;
        delete global.window;
        delete global.location;
      },
    };
  },
} satisfies Environment;
