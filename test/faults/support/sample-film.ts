import type { OpenedProject } from '../../../src/engine/projects/project-claims.ts';
import { realpathSync } from 'node:fs';
import type { RewriteRequest } from '../../../src/contract/tool.ts';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { startEngine, type Engine } from '../../../src/engine/engine.ts';
import type { Logger } from '../../../src/engine/base/ports.ts';
import { fastClock } from './fast-clock.ts';

/** Everything a process needs to work on the film of one scene; plain data, so that it can be handed to a child. */
export interface FilmPlace {
  readonly dataFolder: string;
  readonly projectFolder: string;
  readonly listFolder: string;
  readonly serviceUrl: string;
  readonly apiKey: string;
  /** Start of the scene's time, ms since the epoch. */
  readonly since: number;
}

export const BATCH = 'Day 1';
/** The shot whose request carries no prompt: it is known by its route. */
const VARIATION = '0004';
/** The shot that the account may only have from the synchronous entry, with the bytes inside the answer. */
export const INSIDE_ANSWER = '0005';
/** The shot that the service refuses, at no charge. */
export const REFUSED = '0006';
export const SOURCE_PICTURE = 'source.png';

/** All ways a result comes (polled, several files, an address at once, inside the answer, as the answer), and one that fails. */
export const filmShots: readonly ShotSpec[] = [
  shot('0001', { kind: 'video', model: 'vgen-2.0-cl-fast', params: { duration: 5 } }),
  shot('0002', { kind: 'music', model: 'music-demo' }),
  shot('0003', { kind: 'image', model: 'image-demo', params: { n: 2 } }),
  shot(VARIATION, {
    kind: 'image',
    model: 'image-demo',
    prompt: '',
    params: { operation: 'variation', image: SOURCE_PICTURE },
  }),
  shot(INSIDE_ANSWER, { kind: 'image', model: 'image-demo', params: { n: 2, response_format: 'b64_json' } }),
  shot(REFUSED, { kind: 'video', model: 'vgen-2.0-cl-fast', params: { duration: 5 } }),
  shot('0007', { kind: 'speech', model: 'speech-demo', params: { voice: 'alto', response_format: 'flac' } }),
  shot('0008', { kind: 'text', model: 'chat-demo' }),
];

function shot(key: string, changes: Partial<ShotSpec> & Pick<ShotSpec, 'kind' | 'model'>): ShotSpec {
  return {
    key,
    prompt: `The shot ${key}`,
    takes: 1,
    params: {},
    extra: {},
    columns: {},
    priority: 0,
    ...changes,
  };
}

const columns = ['duration', 'n', 'operation', 'image', 'response_format', 'voice'];

const TAKE_PRICE = 2;
/** Reached in the middle of the film: the rest waits until the cap is raised. */
const FIRST_CAP = { takes: 4, money: 30 * TAKE_PRICE };

/** The film as a shot list. */
export const filmList: string = [
  ['shot', 'kind', 'model', 'prompt', ...columns].join(),
  ...filmShots.map(({ key, kind, model, prompt, params }) =>
    [key, kind, model, prompt, ...columns.map((name) => params[name])].join(),
  ),
].join('\n');

/** The key of the shot whose request reads so. */
export function shotNamed(request: string): string {
  return request.includes('/images/variations') ? VARIATION : (/The shot (\d{4})/.exec(request)?.[1] ?? '');
}

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The real engine, with nothing replaced but its time, its disk's size and its log. */
export function startFilmEngine(place: FilmPlace, { ahead = 0, logger = silent } = {}): Promise<Engine> {
  return startEngine({
    dataFolder: place.dataFolder,
    settings: Settings.parse({ baseUrl: place.serviceUrl, prices: [{ model: '*', per: 'take', price: TAKE_PRICE }] }),
    ports: {
      clock: fastClock(place.since, ahead),
      logger,
      secrets: { apiKey: () => place.apiKey },
      random: Math.random,
      disk: { freeBytes: () => Promise.resolve(1024 ** 4) },
    },
    command: 'crash test',
  });
}

/** Imports the film's list, as running it does. */
export async function importFilm(engine: Engine, place: FilmPlace, project: OpenedProject): Promise<void> {
  const { listFolder } = place;
  const list = { name: BATCH, listFolder, source: 'film.csv', shots: filmShots };
  const agreed = [realpathSync(list.listFolder)];
  // A cap that was raised before a kill stays: to set a lower one than what is used is allowed, and no fault.
  const isCapped = engine.spending.caps().length > 0;
  await engine.batches.start({ project, ...list, again: false, agreed, ...(!isCapped && { cap: FIRST_CAP }) });
}

/** A billable call that makes no take. */
export const rewriting = (projectId: string, isAgreed = false): RewriteRequest => ({
  ...{ projectId, isAgreed, model: 'chat-demo', ask: 'Make it night', versions: 1 },
  prompts: ['A door', 'A hand'],
});

/** Works until nothing can go on but by a decision, and raises a cap by two takes whenever it is reached. */
export async function workUntilSettled(engine: Engine): Promise<void> {
  engine.queue.run({});
  for (;;) {
    const settled = await engine.queue.settled();
    if (!('gate' in settled)) return;
    if (settled.gate.reason !== 'cap_reached') throw new Error(`The queue stopped: ${settled.gate.message}`);
    for (const { scope, cap } of engine.spending.caps()) {
      await engine.commands.run('spending.changeCap', { scope, change: { takes: (cap.takes ?? 0) + 2 } }, 'window');
    }
  }
}

/** One run of the film, from the list to the end. */
export async function runFilm(place: FilmPlace): Promise<void> {
  const engine = await startFilmEngine(place);
  const project = await engine.projects.open(place.projectFolder);
  await importFilm(engine, place, project);
  await workUntilSettled(engine);
  await engine.stop();
}
