import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/** Suites of what compiles as part of a Svelte component, with Svelte as a page gets it. */
const withRunes = 'test/renderer/**/*.svelte.test.ts';

/** Those that replace modules, and those with the stand-in for Electron, of which a process has one. */
const inProcessOfTheirOwn = ['test/main/**/*.test.ts', 'test/**/*.alone.test.ts'];

/**
 * Suites that drive the whole engine over real sockets: many seconds of work, no real waiting. What they wait for is that
 * nothing goes on in their process, so they share theirs with each other alone.
 */
const overSockets = ['test/engine/{queue,library}/**/*.test.ts', 'test/**/*.sockets.test.ts'];

/** Suites of whole commands, and those that start a server or a process: seconds each, which unit tests do not take. */
const withServers = ['test/{cli,server,kinds}/**/*.test.ts', 'test/**/*.servers.test.ts'];
const withServersAlone = ['test/{cli,server,kinds}/**/*.alone.test.ts', 'test/main/**/*.servers.test.ts'];

/** Suites against a PostgreSQL, which is started once for all of them. */
const withPostgres = ['test/studio/**/*.test.ts'];

/** There is no Electron on a machine that builds; see the file that stands in for it. */
const alias = { electron: fileURLToPath(new URL('test/main/electron/index.ts', import.meta.url)) };

/** What is left to chance is the same in every run but the nightly one. Texts are compared in English. */
const setupFiles = ['test/support/chance.ts', 'test/support/saying.ts', 'test/support/readers.ts'];

/** How long a busy machine may take for a test, for what it begins with, and for what it waits for, ms. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };

/** What repeats itself, or is at full size, has `@night` in its name, and runs with `CRASH_ALL=1` alone. */
const byDay = process.env['CRASH_ALL'] !== '1' && { testNamePattern: /^(?!.*@night)/ };

export default defineConfig({
  // Where `isolate` is false, what files share is loaded once a process and not once a file: a third of the work.
  test: {
    // Tests often wait for processes they have started, so there are more of them at once than processors.
    maxWorkers: 3,
    ...byDay,
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['test/{contract,engine,host,main,demo,renderer,architecture}/**/*.test.ts'],
          exclude: [...overSockets, ...withServers, ...inProcessOfTheirOwn, withRunes],
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
          exclude: [...withServers, withRunes],
          environment: 'node',
          ...patience,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'servers',
          include: withServers,
          exclude: [...overSockets, ...inProcessOfTheirOwn],
          environment: 'node',
          setupFiles,
          isolate: false,
          ...patience,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'servers-alone',
          include: withServersAlone,
          environment: 'node',
          setupFiles,
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
          isolate: false,
          environment: 'node',
          ...patience,
        },
      },
      {
        test: {
          name: 'studio',
          include: withPostgres,
          setupFiles,
          globalSetup: 'test/support/studio-server.ts',
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
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          setupFiles,
          environment: 'node',
          maxConcurrency: 2,
          ...patience,
          testTimeout: 3_600_000,
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
