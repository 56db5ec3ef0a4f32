import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import { noteBundledPackages } from './scripts/bundled-packages.ts';

/** The page imports the window once its language is there, and names it, so that both are fetched at once. */
const fetchWindowAtOnce: Plugin = {
  name: 'fetch-window-at-once',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const window = chunks.find(({ name }) => name === 'window');
      if (!window) throw new Error('The build has no chunk of the window.');
      const needed = [window, ...chunks.filter(({ fileName }) => window.imports.includes(fileName))];
      return needed
        .flatMap(({ fileName, viteMetadata }) => [
          { rel: 'modulepreload', href: fileName },
          ...Array.from(viteMetadata?.importedCss ?? [], (href) => ({ rel: 'stylesheet', href })),
        ])
        .map(({ rel, href }) => ({
          tag: 'link',
          attrs: { rel, crossorigin: true, href: `./${href}` },
          injectTo: 'head',
        }));
    },
  },
};

/** What only `dailies` says, a sixth of the texts, does not wait in front of the window. */
const withoutCommandLine: Plugin = {
  name: 'without-command-line',
  enforce: 'pre',
  transform: {
    filter: { id: /[\\/]messages[\\/][\w-]+\.json/ },
    handler: (deck) => {
      const texts = Object.entries(JSON.parse(deck) as Record<string, string>);
      return JSON.stringify(Object.fromEntries(texts.filter(([key]) => !/^(?:cli|mcp)\./.test(key))));
    },
  },
};

/**
 * One build for every host. `out/main/cli.js` is the `dailies` command, `index.js` the desktop app and `engine.js` its
 * engine's process; `workbook-reader.js` and `facts-reader.js` are processes that read files, `hash-thread.js` is a thread. What package.json calls `dependencies` stays in node_modules: these are native, or load files of their
 * own, and cannot be bundled. Everything else is bundled (and so a `devDependency`), which starts faster and leaves nothing
 * else to install or to check the integrity of. `out/preload` is what runs before the page; in a sandbox that can be nothing but one CommonJS file.
 * `out/renderer` is the window's content, bundled whole, served by the web host and the desktop app.
 */
export default defineConfig({
  main: {
    plugins: [noteBundledPackages('main')],
    // Its build for Node.js declares `require`, as each of our entries does, and would come to be there twice.
    resolve: { alias: [{ find: /^fflate$/, replacement: 'fflate/browser' }] },
    build: {
      target: 'node22',
      externalizeDeps: true,
      rollupOptions: {
        input: {
          cli: 'src/cli/index.ts',
          index: 'src/main/index.ts',
          engine: 'src/main/engine-process.ts',
          'workbook-reader': 'src/engine/batches/workbook-reader.ts',
          'facts-reader': 'src/engine/library/facts-reader.ts',
          'hash-thread': 'src/engine/base/hash-thread.ts',
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    plugins: [noteBundledPackages('preload')],
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
    plugins: [
      svelte({ configFile: '../../svelte.config.js' }),
      tailwindcss(),
      fetchWindowAtOnce,
      withoutCommandLine,
      noteBundledPackages('renderer'),
    ],
    build: {
      target: 'chrome130',
      outDir: 'out/renderer',
      // Assets stay files: a strict content policy allows no data: scripts or fonts.
      assetsInlineLimit: 0,
      // Half the text to read before the first view is there.
      minify: true,
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: 'src/renderer/index.html',
        output: {
          codeSplitting: {
            groups: [
              // Runs before all else: what makes texts, and Vite's own `import()`.
              { name: 'language', test: /[\\/]state[\\/]language\.ts$|preload-helper/, priority: 1 },
              // What several views share comes in one file: a dozen small ones take longer to ask for than to read.
              { name: 'shared', test: /\.(?:[jt]s|svelte)$/, minShareCount: 2 },
            ],
          },
        },
      },
    },
  },
});
