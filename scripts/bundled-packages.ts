import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Writes down which packages went into a build: their folders, one a line, into `out/packages/<name>.txt`. A bundle does
 * not show whose code is in it, and everybody's licence asks that their text goes with it.
 */
export function noteBundledPackages(name: string): Plugin {
  return {
    name: 'note-bundled-packages',
    apply: 'build',
    buildEnd(error) {
      if (error) return;
      const folders = new Set([...this.getModuleIds()].map(packageFolderOf).filter((folder) => folder !== null));
      const file = join('out', 'packages', `${name}.txt`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, [...folders].sort().join('\n') + '\n');
    },
  };
}

/** The folder of the package that a module is of, from the checkout on; null when the module is ours. */
function packageFolderOf(moduleId: string): string | null {
  const path = moduleId.replaceAll('\\', '/');
  return /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/?]+/.exec(path)?.[0] ?? null;
}
