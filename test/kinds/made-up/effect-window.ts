import { svelte } from '@sveltejs/vite-plugin-svelte';
import tailwindcss from '@tailwindcss/vite';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'vite';

const root = resolve(import.meta.dirname, '../../..');
const list = join(root, 'src/contract/kinds/all.ts');

/** Puts the made-up kind into the list of kinds, as `vi.mock` does for the engine. */
const withEffect: Plugin = {
  name: 'made-up-kind',
  enforce: 'pre',
  transform: (code, id) =>
    id === list
      ? `import { effectSpec } from '${join(import.meta.dirname, 'effect-spec.ts')}';\n${code.replace('] as const', ', effectSpec] as const')}`
      : undefined,
};

/** Builds the window with the made-up kind into a folder. */
export async function buildWindow(folder: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    root: join(root, 'src/renderer'),
    plugins: [withEffect, svelte({ configFile: join(root, 'svelte.config.js') }), tailwindcss()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
}
