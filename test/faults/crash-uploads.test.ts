import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoService, type DemoService, type LedgerEntry } from '../support/demo/service.ts';
import { asMedium } from '../engine/library/media.ts';
import { teachSpeed } from '../support/quick-service.ts';
import { dailies, dailiesKilledWhen, ensureBuilt, undecidedJobs } from './support/command.ts';
import { readRows } from './support/crash-rows.ts';
import { Scene } from './support/scene.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { chanceSeed, isNightly } from '../support/chance.ts';

const STORIES = isNightly ? 12 : 1;
/** Stories told at once: each process mostly waits. */
const LANES = 3;
const RUN = ['run', 'list.csv', '--project', 'film', '--batch', 'Night', '--json'];
const RESUME = ['resume', '--project', 'film', '--json'];
/** Exit status when a submit of unknown fate waits for a person. */
const NEEDS_DECISION = 4;
const UPLOADS = '/v1/assets/uploads';

/** Large enough to be hashed while it is sent, and to be killed midway. */
const film = asMedium('walk.mp4', randomBytes(5_000_000));
const media: Readonly<Record<string, Buffer>> = {
  'Anna.png': asMedium('Anna.png', 'the picture of Anna'),
  'copy of Anna.png': asMedium('copy of Anna.png', 'the picture of Anna'),
  'boat – été.png': asMedium('boat – été.png', 'the picture of a boat'),
  'harbour.png': asMedium('harbour.png', 'the picture of a harbour'),
  'walk.mp4': film,
  'walk again.mp4': film,
};
const contents = [...new Set(Object.values(media).map(sha256))].sort();
/** Each shot names one file. */
const shots = Object.keys(media).map((file, index) => ({ key: `${1001 + index}`, file }));
const list = [
  'shot,model,prompt,duration,first_frame,reference_videos',
  ...shots.map(({ key, file }) => {
    const cells = file.endsWith('.mp4') ? `,refs/${file}` : `refs/${file},`;
    return `${key},vgen-2.0-cl-fast,The shot ${key},5,${cells}`;
  }),
].join('\n');

/** When to kill: so long after the service has seen so many requests of a kind, counted in each process. */
interface Moment {
  readonly kind: keyof typeof kinds;
  readonly count: number;
  readonly thenMs: number;
}

const kinds = {
  uploads: ({ method, path }: LedgerEntry) => method === 'POST' && path === UPLOADS,
  arrivals: ({ assetId }: LedgerEntry) => assetId !== null,
  'looks at assets': ({ method, path }: LedgerEntry) => method === 'GET' && path.startsWith('/v1/assets'),
  submits: ({ method, path }: LedgerEntry) => method === 'POST' && path === '/v1/videos',
};

const random = seededRandom(chanceSeed);
const told = { kills: 0, midUpload: 0, unanswered: 0, waiting: 0, uploads: 0, posts: 0, problems: [] as string[] };

beforeAll(ensureBuilt);

afterAll(() => {
  const { kills, midUpload, unanswered, waiting, uploads, posts, problems } = told;
  process.stdout.write(
    `SIGKILL while media are prepared (CRASH_SEED=${chanceSeed}): ${STORIES} stories, ${kills} kills ` +
      `(${midUpload} amid an upload, ${unanswered} before an answer, ${waiting} while assets got ready), ${uploads} uploads, ` +
      `${posts} POSTs, ${problems.length} lost, doubled or broken\n`,
  );
});

describe('a run with local files, killed during uploads and waits', { timeout: 600_000 }, () => {
  it('brings each content to the service once, submits no shot twice, and saves everything @night', async () => {
    const stories = Array.from({ length: STORIES }, (_, story) => momentsOf(story)).values();
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (const moments of stories) await runStory(moments);
      }),
    );
    expect(told.problems).toEqual([]);
    expect(told.kills).toBeGreaterThan(STORIES);
    expect(told.midUpload + told.unanswered).toBeGreaterThan(0);
    expect(told.waiting).toBeGreaterThan(0);
  });
});

/** Two kills around uploads, each story at other ones; then one while the last asset is waited for, or around a submit. */
function momentsOf(story: number): readonly Moment[] {
  const upload = (count: number): Moment => ({ kind: 'uploads', count, thenMs: random() * 60 });
  const later: readonly Moment[] = [
    { kind: 'arrivals', count: 1, thenMs: 50 + random() * 150 },
    { kind: 'looks at assets', count: 1 + Math.floor(random() * 4), thenMs: random() * 300 },
    { kind: 'submits', count: 1 + Math.floor(random() * shots.length), thenMs: random() * 50 },
  ];
  return [
    upload(1 + (story % contents.length)),
    upload(1 + Math.floor(random() * 2)),
    ...later.slice(story % 3, (story % 3) + 1),
  ];
}

async function runStory(moments: readonly Moment[]): Promise<void> {
  const service = await startUploadService();
  const scene = setScene(service);
  const note = (problems: readonly string[]) => {
    const killed = moments
      .map(({ kind, count, thenMs }) => `${thenMs.toFixed(0)} ms after ${count} ${kind}`)
      .join(', ');
    told.problems.push(...problems.map((problem) => `killed ${killed}: ${problem}`));
  };
  try {
    for (const moment of moments) {
      const { status } = await dailiesKilledWhen(
        scene,
        (ended) => untilCome(scene, moment, ended),
        ...nextCommand(scene),
      );
      if (status === null) told.kills += 1;
      note(readRows(scene.place.dataFolder)?.damage ?? []);
    }
    await bringToItsEnd(scene);
    note(problemsAtEnd(scene));
  } catch (error) {
    note([String(error)]);
  }
  told.uploads += uploadsOf(scene).length;
  told.posts += submitsOf(scene).length;
  scene.remove();
  await service.stop();
}

/** A service whose tasks are done at once, and whose assets are ready a while after they came. */
function startUploadService(): Promise<DemoService> {
  const speed = { videoMs: 60, imageMs: 60, musicMs: 60, assetMs: 400, jitter: 0.2 };
  return startDemoService({ media: 'tiny', tinyBytes: 20_000, speed });
}

function setScene(service: DemoService): Scene {
  const scene = new Scene(service);
  teachSpeed(scene.place.dataFolder, service.url, 60);
  // Answers to uploads come letter by letter, so that a kill meets some of them.
  const drip = { fault: 'drip', bytes: 40, pauseMs: 5 } as const;
  service.faults.add({ match: { method: 'POST', path: UPLOADS, times: 'always' }, do: drip });
  mkdirSync(join(scene.folder, 'refs'));
  for (const [name, content] of Object.entries(media)) writeFileSync(join(scene.folder, 'refs', name), content);
  writeFileSync(join(scene.folder, 'list.csv'), list);
  return scene;
}

async function untilCome(scene: Scene, { kind, count, thenMs }: Moment, ended: AbortSignal): Promise<void> {
  const seen = () => scene.service.ledger.entries.filter(kinds[kind]).length;
  const before = seen();
  while (seen() < before + count) await wait(1, undefined, { signal: ended });
  await wait(thenMs, undefined, { signal: ended });
  const pending = uploadsOf(scene).filter(({ ending }) => ending === 'pending');
  if (pending.some(({ body }) => body === null)) told.midUpload += 1;
  if (pending.some(({ body }) => body !== null)) told.unanswered += 1;
  const isAwaited = scene.service.assets.assets().some(({ createdAt, syncMs }) => createdAt + syncMs > Date.now());
  if (isAwaited) told.waiting += 1;
}

/** What a person would do next: run the list until all of it is imported, then just go on. */
function nextCommand(scene: Scene): string[] {
  return readRows(scene.place.dataFolder)?.isImporting === false ? RESUME : RUN;
}

async function bringToItsEnd(scene: Scene): Promise<void> {
  const { status } = await dailies(scene, ...nextCommand(scene));
  if (status !== NEEDS_DECISION) return;
  for (const { id, shot } of await undecidedJobs(scene)) {
    const taskId = scene.posts(shot).find((post) => post.committed)?.taskId;
    const decision = taskId ? ['--attach', taskId] : ['--resubmit', '--yes'];
    await dailies(scene, 'jobs', 'resolve', id, ...decision);
    if (!taskId) scene.resubmitted.push(shot);
  }
  await dailies(scene, ...RESUME);
}

/** What must hold at the end. Sentences; none is good. */
function problemsAtEnd(scene: Scene): string[] {
  const { assets } = scene.service;
  const arrived = uploadsOf(scene).filter(({ assetId }) => assetId !== null);
  const arrivedContents = arrived.map(contentOf).sort();
  const jobs = readRows(scene.place.dataFolder)?.jobs ?? [];
  return [
    ...(arrivedContents.join() === contents.join()
      ? []
      : [`the service got ${arrived.length} uploads of ${contents.length} contents`]),
    ...(assets.assets().length === contents.length ? [] : [`the service has ${assets.assets().length} assets`]),
    ...(jobs.length === shots.length ? [] : [`there are ${jobs.length} jobs`]),
    ...jobs
      .filter(({ state }) => state !== 'saved')
      .map(({ shot_key, facts }) => `shot ${shot_key} ended so: ${facts}`),
    ...shots.flatMap(({ key, file }) => submitProblems(scene, key, sha256(media[file] ?? film))),
  ];
}

function submitProblems(scene: Scene, key: string, content: string): string[] {
  const posts = submitsOf(scene).filter(({ body }) => JSON.stringify(body).includes(`The shot ${key}`));
  const decidedOn = scene.resubmitted.filter((shot) => shot === key).length;
  const asset = uploadsOf(scene).find((upload) => upload.assetId !== null && contentOf(upload) === content);
  const record = scene.service.assets.assets().find(({ id }) => id === asset?.assetId);
  const readyAt = record ? record.createdAt + record.syncMs : Number.POSITIVE_INFINITY;
  return [
    ...(posts.length <= 1 + decidedOn ? [] : [`shot ${key} was submitted ${posts.length} times`]),
    ...(posts.filter(({ committed }) => committed).length === 1 ? [] : [`shot ${key} was not paid for once`]),
    ...posts.flatMap(({ body, at }) => [
      ...(JSON.stringify(body).includes(`Asset://${asset?.assetId ?? '?'}"`)
        ? []
        : [`shot ${key} names another asset`]),
      ...(at >= readyAt ? [] : [`shot ${key} was submitted before its asset was ready`]),
    ]),
  ];
}

const uploadsOf = ({ service }: Scene): LedgerEntry[] => service.ledger.entries.filter(kinds.uploads);
const submitsOf = ({ service }: Scene): LedgerEntry[] => service.ledger.entries.filter(kinds.submits);

function contentOf({ body }: LedgerEntry): string {
  return (body as { files: { sha256: string }[] }).files[0]?.sha256 ?? '';
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
