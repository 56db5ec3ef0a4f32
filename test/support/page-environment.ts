import type { Environment } from 'vitest/runtime';

/** Node.js without a page, with code compiled as for one: state and effects are those of a window. */
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup: () => ({ teardown: () => undefined }),
} satisfies Environment;
