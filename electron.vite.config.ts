import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'electron-vite';

/**
 * One build for every host. `out/main/cli.js` is the `dailies` command, `index.js` the desktop app and `engine.js` its
 * engine's process; dependencies stay in node_modules (native ones cannot be bundled), so that part is only our own
 * sources. `out/preload` is what runs before the page; in a sandbox that can be nothing but one CommonJS file.
 * `out/renderer` is the window's content, bundled whole, served by the web host and the desktop app.
 */
export default defineConfig({
  main: {
    build: {
      target: 'node22',
      externalizeDeps: true,
      rollupOptions: {
        input: { cli: 'src/cli/index.ts', index: 'src/main/index.ts', engine: 'src/main/engine-process.ts' },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      target: 'node22',
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
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
