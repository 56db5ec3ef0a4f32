import { join } from 'node:path';
import { build } from 'vite';

/** Where the tests keep what can be made again. */
const testCache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'dailies-faults');
/** Compiled code is kept between the hundreds of children, each of which would compile the same again. */
export const compileCache = join(testCache, 'compiled');

const engine = join(import.meta.dirname, '..', '..', '..', 'src', 'engine');

/**
 * Puts a file and all it imports into one, and returns its path: a process that reads a hundred modules at its start
 * takes longer than the second that hundreds of children are killed in. What it starts is put beside it.
 */
export async function inOneFile(entry: string, name: string): Promise<string> {
  await bundle(join(engine, 'base', 'hash-thread.ts'), 'hash-thread.js');
  await bundle(join(engine, 'library', 'facts-reader.ts'), 'facts-reader.js');
  await bundle(entry, `${name}.mjs`);
  return join(testCache, `${name}.mjs`);
}

/** Native packages stay where they are. */
async function bundle(entry: string, file: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['better-sqlite3', 'sharp', '@napi-rs/keyring'] },
    build: {
      ssr: entry,
      outDir: testCache,
      emptyOutDir: false,
      target: 'node24',
      minify: true,
      rolldownOptions: { output: { entryFileNames: file, codeSplitting: false } },
    },
  });
}
