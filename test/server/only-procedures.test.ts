import { beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../src/contract/procedures.ts';
import { Served, type Link } from './support.ts';

let served: Served;
beforeAll(async () => {
  served = await Served.open();
  return () => served.close();
});

const wires: readonly (readonly [wire: string, connect: () => Link | Promise<Link>])[] = [
  ['the port of a window', () => served.portLink()],
  ['a page in a browser', () => served.httpLink()],
  ['the socket of the user’s programs', () => served.socketLink()],
];

const procedures = new Set(
  Object.entries(contract).flatMap(([noun, calls]) => Object.keys(calls).map((name) => `${noun}.${name}`)),
);

/** The functions of an object and of its class. */
function functionsOf(owner: object): string[] {
  const isOfClass = Object.getPrototypeOf(owner) !== Object.prototype;
  const names = [owner, ...(isOfClass ? [Object.getPrototypeOf(owner) as object] : [])].flatMap(
    Object.getOwnPropertyNames,
  );
  return names.filter((name) => typeof Reflect.get(owner, name) === 'function');
}

/** What the engine can do beyond the procedures: `useService`, `queue.run`, `tools.runner.dismiss`. */
function withinEngine(owner: object = served.world.engine, path = '', depth = 3): string[] {
  if (depth === 0) return [];
  const sections = Object.entries(owner).filter(
    (entry): entry is [string, object] => typeof entry[1] === 'object' && entry[1] !== null,
  );
  return [
    ...functionsOf(owner).map((name) => `${path}${name}`),
    ...sections.flatMap(([name, section]) => withinEngine(section, `${path}${name}.`, depth - 1)),
  ].filter((name) => !procedures.has(name));
}

/** What every object has, and what makes a procedure one. */
const ofObjects = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  '__proto__.toString',
  'constructor.constructor',
];
const near = ['', 'projects.', 'projects.list.'].flatMap((path) => ofObjects.map((name) => path + name));
const alike = ['projects', 'Projects.list', 'projects/list', 'projects.list.~orpc.handler', 'projects.list.callable'];

const callBy = (link: Link, path: string): Promise<unknown> =>
  link.call(path.split('.'), {}, { context: {} }).then(
    () => 'answered',
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

const CALLS_AT_ONCE = 50;

describe.each(wires)('over %s', (_wire, connect) => {
  it('nothing can be called but the procedures: nothing else of the engine, and nothing that all objects have', async () => {
    const link = await connect();
    const within = withinEngine();
    expect(within).toEqual(
      expect.arrayContaining(['useService', 'keyChanged', 'announce', 'queue.run', 'review.judge']),
    );
    const names = [...within, ...near, ...alike];
    const answers: [string, unknown][] = [];
    // As many at a time as a server takes connections.
    for (let start = 0; start < names.length; start += CALLS_AT_ONCE) {
      const some = names.slice(start, start + CALLS_AT_ONCE);
      answers.push(
        ...(await Promise.all(some.map(async (name) => [name, await callBy(link, name)] as [string, unknown]))),
      );
    }
    expect(answers.filter(([, answer]) => answer !== 'NOT_FOUND')).toEqual([]);
    expect(await callBy(link, 'projects.list')).toBe('answered');
  });
});
