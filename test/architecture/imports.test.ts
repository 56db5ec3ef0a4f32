import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circles, importsOf, readSources, type Import } from './read-imports.ts';

/** What each layer may import besides its own files. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  engine: ['contract'],
  server: ['contract', 'engine', 'reel'],
  reel: ['contract'],
  studio: ['contract', 'engine'],
  host: ['contract', 'engine', 'server', 'studio', 'demo'],
  main: ['contract', 'engine', 'server', 'host'],
  preload: ['contract'],
  cli: ['contract', 'engine', 'server', 'host', 'studio', 'demo'],
  renderer: ['contract'],
  demo: [],
};

/** The folders of the engine. Each may import those before it; the files beside them put all of it together. */
const ENGINE = [
  'base',
  'machine',
  'files',
  'db',
  'api',
  'models',
  'kinds',
  'downloads',
  'library',
  'batches',
  'projects',
  'nights',
  'jobs',
  'review',
  'kit',
  'tools',
  'queries',
  'commands',
];

const MAY_NAME_ELECTRON = ['main', 'preload'];

const layerOf = (path: string): string => path.split('/')[0] ?? '';
const isOurs = (target: string): boolean => layerOf(target) in MAY_IMPORT && target.includes('/');

const againstLayers = (imports: readonly Import[]): Import[] =>
  imports.filter(({ file, target }) => {
    const [from, to] = [layerOf(file), layerOf(target)];
    return isOurs(target) && from !== to && !MAY_IMPORT[from]?.includes(to);
  });

/** Place of a file of the engine in the order of its folders; null for what is not the engine’s. */
function placeInEngine(path: string): number | null {
  const [layer, folder = '', ...rest] = path.split('/');
  if (layer !== 'engine') return null;
  return rest.length === 0 ? ENGINE.length : ENGINE.indexOf(folder);
}

const againstFolders = (imports: readonly Import[]): Import[] =>
  imports.filter(({ file, target }) => {
    const [from, to] = [placeInEngine(file), placeInEngine(target)];
    return from !== null && to !== null && from < to;
  });

const viewOf = (path: string): string | undefined => /^renderer\/views\/([^/]+)\//.exec(path)?.[1];

/** By which the frame of the window fetches a view when it is first wanted. */
const FETCHES_VIEWS = 'renderer/lib/components/shell/places.ts';

/** What views share is in `lib`. */
const againstViews = (imports: readonly Import[]): Import[] =>
  imports.filter(
    ({ file, target }) => viewOf(target) !== undefined && viewOf(file) !== viewOf(target) && file !== FETCHES_VIEWS,
  );

describe('the layers', () => {
  const sources = readSources(resolve(import.meta.dirname, '../../src'));
  const imports = importsOf(sources);

  it('are all known, and so are the folders of the engine', () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect([...sources.keys()].filter((file) => !(layerOf(file) in MAY_IMPORT))).toEqual([]);
    expect([...sources.keys()].filter((file) => placeInEngine(file) === -1)).toEqual([]);
  });

  it('import one way only', () => {
    expect(againstLayers(imports)).toEqual([]);
    expect(againstFolders(imports)).toEqual([]);
  });

  it('keep each view to itself', () => {
    expect(imports.filter(({ file }) => file === FETCHES_VIEWS).filter(({ target }) => viewOf(target))).toHaveLength(8);
    expect(againstViews(imports)).toEqual([]);
  });

  it('hold no circle of imports, types included', () => {
    expect(circles(sources, imports)).toEqual([]);
  });

  it('name electron in main and preload alone', () => {
    const wrong = imports.filter(
      ({ file, target }) => /^electron($|\/)/.test(target) && !MAY_NAME_ELECTRON.includes(layerOf(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('keep node out of the contract and the renderer', () => {
    const wrong = imports.filter(
      ({ file, target }) => ['contract', 'renderer'].includes(layerOf(file)) && target.startsWith('node:'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('a wrong import', () => {
  const planted = (file: string, text: string) => {
    const sources = new Map([
      [file, text],
      ['engine/engine.ts', ''],
    ]);
    return { sources, imports: importsOf(sources) };
  };

  it('is found in a component, also if it is of a type', () => {
    const text = '<script lang="ts">import type { Engine } from "../engine/engine.ts"</script>';
    const { imports } = planted('renderer/App.svelte', text);
    expect(againstLayers(imports)).toEqual([{ file: 'renderer/App.svelte', target: 'engine/engine.ts' }]);
  });

  it.each([
    "import.meta.glob(['../engine/*.ts'])",
    "new Worker(new URL('../engine/engine.ts', import.meta.url))",
    "threadFile('../engine/engine', import.meta.url)",
  ])('is found in %s', (text) => {
    const { imports } = planted('renderer/a.ts', text);
    expect(againstLayers(imports)).toEqual([{ file: 'renderer/a.ts', target: 'engine/engine.ts' }]);
  });

  it('is found where it closes a circle', () => {
    const sources = new Map([
      ['demo/a.ts', "import type { B } from './b.ts';"],
      ['demo/b.ts', "export * from './c.ts';"],
      ['demo/c.ts', "type A = import('./a.ts').A;"],
      ['demo/d.ts', "import './a.ts';"],
    ]);
    expect(circles(sources, importsOf(sources))).toEqual([['demo/a.ts', 'demo/b.ts', 'demo/c.ts']]);
  });
});
