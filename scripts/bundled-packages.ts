import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const path = moduleId.replaceAll('\\', '/').replace(/^\0/, '').split('?')[0] ?? '';
  const start = path.lastIndexOf('node_modules/');
  if (start < 0) return null;
  for (let folder = dirname(path); folder.length > start; folder = dirname(folder)) {
    if (isPackage(folder)) return folder.slice(path.indexOf('node_modules/'));
  }
  return null;
}

/** Some packages have further manifests inside them, for resolvers: those have no version. */
function isPackage(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return false;
  return typeof (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string }).version === 'string';
}
