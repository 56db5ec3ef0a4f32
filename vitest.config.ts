import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** Suites that drive the whole engine or server over real sockets: many seconds of work, no real waiting. */
const overSockets = ['test/engine/{queue,library}/**/*.test.ts', 'test/server/**/*.test.ts', 'test/kinds/**/*.test.ts'];

/** Suites of what compiles as part of a Svelte component, with Svelte as a page gets it. */
const withRunes = 'test/renderer/**/*.svelte.test.ts';

/**
 * Unit tests share a process from file to file, and with it the code it has loaded, which takes half of the time that a
 * process for each file does. Not so those that replace modules, those that wait until nothing goes on in theirs, and
 * those with the stand-in for Electron, of which a process has one.
 */
const inProcessOfTheirOwn = globSync('test/**/*.test.ts')
  .map((file) => file.replaceAll('\\', '/'))
  .filter(
    (file) =>
      file.startsWith('test/main/') ||
      /\bvi\.(mock|doMock|resetModules)\(|\/world\.ts'/.test(readFileSync(file, 'utf8')),
  );

/** There is no Electron on a machine that builds; see the file that stands in for it. */
const alias = { electron: fileURLToPath(new URL('test/main/electron/index.ts', import.meta.url)) };

/** What is left to chance is the same in every run but the nightly one. Texts are compared in English. */
const setupFiles = ['test/support/chance.ts', 'test/support/saying.ts'];

/** How long a busy machine may take for a test, for what it begins with, and for what it waits for, ms. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

export default defineConfig({
  test: {
    // Tests often wait for processes they have started, so there are more of them at once than processors.
    maxWorkers: 3,
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['test/{contract,engine,server,host,main,demo,cli,renderer,architecture}/**/*.test.ts'],
          exclude: [...overSockets, ...inProcessOfTheirOwn, withRunes],
          environment: 'node',
          setupFiles,
          isolate: false,
          ...patience,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'unit-alone',
          include: inProcessOfTheirOwn,
          setupFiles,
          exclude: [...overSockets, withRunes],
          environment: 'node',
          ...patience,
        },
      },
      {
        plugins: [svelte()],
        resolve: { conditions: ['browser'] },
        test: {
          name: 'runes',
          include: [withRunes],
          setupFiles: ['test/support/saying.ts'],
          environment: './test/support/page-environment.ts',
          ...patience,
        },
      },
      {
        test: {
          name: 'sockets',
          include: overSockets,
          setupFiles,
          environment: 'node',
          ...patience,
        },
      },
      {
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          environment: 'node',
          ...patience,
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          environment: 'node',
          ...patience,
          testTimeout: 300_000,
        },
      },
    ],
  },
});
