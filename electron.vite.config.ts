import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'electron-vite';

/**
 * One build for every host. `out/main/cli.js` is the `dailies` command; dependencies stay in
 * node_modules (native ones cannot be bundled), so that part is only our own sources. `out/renderer` is the
 * window's content, bundled whole, served by the web host and later by Electron.
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
  renderer: {
    root: 'src/renderer',
    plugins: [svelte({ configFile: '../../svelte.config.js' }), tailwindcss()],
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      // Assets stay files: a strict content policy knows no data: scripts or fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rollupOptions: { input: 'src/renderer/index.html' },
    },
  },
});
