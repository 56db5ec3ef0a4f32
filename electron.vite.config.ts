import { defineConfig } from 'electron-vite';

/**
 * One build for every host. `out/main/cli.js` is the `dailies` command; dependencies stay in
 * node_modules (native ones cannot be bundled), so the build is only our own sources.
 */
export default defineConfig({
  main: {
    build: {
      target: 'node22',
      externalizeDeps: true,
      rollupOptions: {
        input: { cli: 'src/cli/index.ts' },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
});
