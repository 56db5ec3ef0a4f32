import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Recipe } from '../../../src/contract/take.ts';
import { inspectAt } from '../../support/places.ts';
import { mayReserveNames } from '../../support/scratch.ts';
import { WrittenList } from '../../../src/engine/batches/written-list.ts';
import { BatchFile } from '../../../src/engine/files/batch-file.ts';
import { readRows, rowProblems, type JobRow, type Rows } from './crash-rows.ts';
import { BATCH, filmShots, REFUSED } from './sample-film.ts';
import { type Scene } from './scene.ts';

/** Statuses by which the service refuses a request for certain, so that another one may follow. */
const REFUSALS = new Set([400, 401, 403, 404, 422, 429]);

/** What must hold at every moment, so also at the one at which a process was killed. Sentences; none is good. */
export async function problemsAfterKill(scene: Scene): Promise<string[]> {
  const rows = readRows(scene.place.dataFolder);
  return [
    ...(rows ? rowProblems(rows) : []),
    ...moneyProblems(scene, rows),
    ...(rows && !scene.databaseIsLost ? capProblems(scene, rows) : []),
    ...(await takeProblems(scene)),
    ...ownFileProblems(scene, rows),
  ];
}

/** What must hold once everything was gone on with and decided: all of it made once, and everything in its place. */
export async function problemsAtEnd(scene: Scene, { anHourLater = true } = {}): Promise<string[]> {
  const rows = readRows(scene.place.dataFolder);
  if (!rows) return ['there is no database'];
  return [
    ...(await problemsAfterKill(scene)),
    ...filmShots.flatMap(({ key }) => unfinishedProblems(scene, rows, key)),
    ...(await outputProblems(scene, rows)),
    ...manifestProblems(scene, rows),
    ...leftoverProblems(scene, anHourLater),
  ];
}

/** The promise about money, by the service's own books: whatever data folders there are, each shot is paid for once. */
export function moneyByLedger(scene: Scene): string[] {
  return filmShots.flatMap(({ key }) => {
    const posts = scene.posts(key);
    const decidedOn = scene.resubmitted.filter((shot) => shot === key).length;
    const unclear = posts.slice(0, -1).filter((post) => !REFUSALS.has(post.status ?? 0)).length;
    return [
      ...(posts.filter((post) => post.committed).length > 1 ? [`shot ${key} was paid for twice`] : []),
      ...(unclear > decidedOn ? [`shot ${key} was sent again by itself`] : []),
    ];
  });
}

/** The same held against the one data folder there is. */
function moneyProblems(scene: Scene, rows: Rows | null): string[] {
  const ofRows = filmShots.flatMap(({ key }) => {
    const posts = scene.posts(key);
    const job = rows?.jobs.find((each) => each.shot_key === key);
    const intents = rows?.attempts.filter((attempt) => attempt.job_id === job?.id).length ?? 0;
    const task = posts.find((post) => post.committed)?.taskId;
    const mayBeLost = task && job && !knowsOf(job, task);
    return [
      ...(posts.length > intents && !scene.databaseIsLost ? [`shot ${key} was sent without an intent on disk`] : []),
      ...(mayBeLost ? [`task ${task} of shot ${key} is lost: the job is ${job.state}`] : []),
    ];
  });
  return [...moneyByLedger(scene), ...ofRows];
}

/** No cap is passed, and what the service has taken counts. The film is the one batch there is, and its caps are only raised. */
function capProblems(scene: Scene, { caps, counted }: Rows): string[] {
  const taken = scene.posts().filter((post) => !REFUSALS.has(post.status ?? 0)).length;
  // A kill between a recipe's word of a request and its intent leaves a doubt: it counts from then on, and was not sent.
  const notSent = Math.min(counted.unclear, Math.max(0, counted.takes - taken));
  const isOver = caps.some(
    ({ micros, takes }) => counted.takes - notSent > (takes ?? Infinity) || counted.micros > (micros ?? Infinity),
  );
  return [
    ...(isOver ? [`a cap is passed: ${JSON.stringify({ caps, counted })}`] : []),
    ...(taken > counted.takes ? [`${taken} requests were taken, and ${counted.takes} are in the ledger`] : []),
  ];
}

/** The job follows the task, has its result, or says that one may exist. */
function knowsOf(job: JobRow, taskId: string): boolean {
  if (job.task_id !== null) return job.task_id === taskId;
  return ['submitting', 'submit_unknown', 'downloading', 'saved'].includes(job.state);
}

function unfinishedProblems(scene: Scene, rows: Rows, key: string): string[] {
  const jobs = rows.jobs.filter((job) => job.shot_key === key);
  const [job] = jobs;
  if (!job || jobs.length > 1) return [`shot ${key} has ${jobs.length} jobs`];
  const paid = scene.posts(key).filter((post) => post.committed).length;
  const recipe = readRecipe(scene, job);
  return [
    ...(job.state === endOf(key) ? [] : [`shot ${key} is ${job.state}: ${job.facts}`]),
    ...(recipe.state === endOf(key) ? [] : [`the recipe of shot ${key} says ${recipe.state}`]),
    ...(paid === (key === REFUSED ? 0 : 1) ? [] : [`shot ${key} was paid for ${paid} times`]),
  ];
}

const endOf = (key: string): string => (key === REFUSED ? 'rejected' : 'saved');

function readRecipe(scene: Scene, job: JobRow): Recipe {
  const path = join(scene.place.projectFolder, '.dailies', 'takes', `${job.id}.json`);
  return Recipe.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Each file with the name of a take is whole media. */
export async function takeProblems(scene: Scene): Promise<string[]> {
  const problems: string[] = [];
  for (const path of takeFiles(scene)) {
    if ((mayReserveNames || scene.isOdd) && statSync(path).size === 0) continue;
    const found = await inspectAt(path, path.endsWith('.md') ? { medium: 'words' } : {});
    if (!('format' in found) || !path.endsWith(`.${found.format}`)) problems.push(`${path} is not whole`);
  }
  return problems;
}

/** Files of the batch folder that a person takes for takes. */
const takeFiles = (scene: Scene): string[] =>
  filesBelow(join(scene.place.projectFolder, BATCH)).filter((path) => !/\/(\.|manifest\.csv$)[^/]*/.test(posix(path)));

const posix = (path: string): string => path.replaceAll(sep, '/');

/** Every file of ours is whole in itself, and is there for a reason. */
function ownFileProblems(scene: Scene, rows: Rows | null): string[] {
  const { projectFolder } = scene.place;
  return filesBelow(join(projectFolder, '.dailies')).flatMap((path) => {
    const name = posix(relative(projectFolder, path));
    if (/\/\.[^/]+\.[0-9a-f]{12}\.tmp$/.test(name)) return [];
    if (/^\.dailies\/(project|worked-from|limits)\.json$/.test(name))
      return jsonProblems(path, (json) => json !== null);
    if (/^\.dailies\/takes\/[^/.]+\.json$/.test(name))
      return jsonProblems(path, (json) => Recipe.safeParse(json).success);
    if (/^\.dailies\/batches\/[^/.]+\.json$/.test(name))
      return jsonProblems(path, (json) => BatchFile.safeParse(json).success);
    if (/^\.dailies\/lists\/[^/.]+\.json$/.test(name))
      return jsonProblems(path, (json) => WrittenList.safeParse(json).success);
    const [, owner] = /^\.dailies\/parts\/([^/.]+?)(?:_\d+\.part|\.answer)$/.exec(name) ?? [];
    const isOwned =
      rows?.jobs.some((job) => job.id === owner) || rows?.attempts.some((attempt) => attempt.id === owner);
    return isOwned ? [] : [`${name} belongs to nothing`];
  });
}

function jsonProblems(path: string, isGood: (json: unknown) => boolean): string[] {
  try {
    return isGood(JSON.parse(readFileSync(path, 'utf8'))) ? [] : [`${path} is not as it should be`];
  } catch {
    return [`${path} is a piece of a file`];
  }
}

/** Rows, files, recipes and the service's own bytes all say the same. */
async function outputProblems(scene: Scene, rows: Rows): Promise<string[]> {
  const problems: string[] = [];
  const named = new Set<string>();
  for (const job of rows.jobs.filter(({ state }) => state === 'saved')) {
    const outputs = rows.outputs.filter((output) => output.job_id === job.id);
    const made = await hashesAtService(scene, job.shot_key);
    if (made.join() !== outputs.map((output) => output.sha256).join())
      problems.push(`shot ${job.shot_key}: other bytes`);
    for (const { file, bytes, sha256 } of outputs) {
      const path = join(scene.place.projectFolder, file ?? '');
      named.add(path);
      const content = file !== null && existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
      if (content.length !== bytes || hashOf(content) !== sha256) problems.push(`${path} is not what its row says`);
    }
    const inRecipe = readRecipe(scene, job).outputs.map((output) => `${output.file} ${output.sha256}`);
    if (inRecipe.join() !== outputs.map((output) => `${output.file ?? ''} ${output.sha256 ?? ''}`).join())
      problems.push(`the recipe of shot ${job.shot_key} names other files`);
  }
  for (const path of takeFiles(scene)) if (!named.has(path)) problems.push(`${path} is doubled`);
  return problems;
}

async function hashesAtService(scene: Scene, key: string): Promise<string[]> {
  const { tasks, url, apiKey } = scene.service;
  const taskId = scene.posts(key).find((post) => post.committed)?.taskId ?? '';
  // No shot of these scenes is a job-style image.
  const path = { videos: '/v1/videos', images: '/v1/images/tasks', tasks: '/v1/tasks', jobs: '' };
  const resource = tasks.get(taskId)?.resource ?? 'tasks';
  const authorization = `Bearer ${apiKey}`;
  const task = (await (await fetch(`${url}${path[resource]}/${taskId}`, { headers: { authorization } })).json()) as {
    output: { url: string }[];
  };
  return Promise.all(
    task.output.map(async (output) => hashOf(Buffer.from(await (await fetch(output.url)).arrayBuffer()))),
  );
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function manifestProblems(scene: Scene, rows: Rows): string[] {
  const text = readFileSync(join(scene.place.projectFolder, BATCH, 'manifest.csv'), 'utf8');
  const lines = text.trimEnd().split('\r\n').slice(1);
  const missing = rows.outputs.filter(
    ({ file, sha256 }) => !lines.some((line) => line.includes(`,saved,${file ?? ''},`) && line.includes(sha256 ?? '?')),
  );
  const isWhole =
    lines.length === rows.outputs.length + 1 && lines.some((line) => line.startsWith(`${REFUSED},1,rejected,`));
  return isWhole && missing.length === 0 ? [] : [`the manifest is not up to date: ${text}`];
}

/** Parts of files are removed when they are an hour old: until then a process may still be writing them. */
function leftoverProblems(scene: Scene, anHourLater: boolean): string[] {
  const kept = filesBelow(join(scene.place.dataFolder, 'answers'));
  const parts = filesBelow(join(scene.place.projectFolder, '.dailies', 'parts'));
  const whole = [...kept, ...parts].filter((path) => !path.endsWith('.tmp'));
  const temporary = [...kept, ...filesBelow(scene.place.projectFolder)].filter((path) => path.endsWith('.tmp'));
  return [...whole, ...(anHourLater ? temporary : [])].map(
    (path) => `${posix(relative(scene.folder, path))} was left behind`,
  );
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
