import type { Environment } from 'vitest/runtime';

/**
 * Node.js without a page, with code compiled as for one: state and effects are those of a window. Modules may listen for
 * what happens to the window as they load; nothing happens here.
 */
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup: (global: { addEventListener?: () => void }) => {
    global.addEventListener = () => undefined;
    return {
      teardown: () => {
        delete global.addEventListener;
      },
    };
  },
} satisfies Environment;
