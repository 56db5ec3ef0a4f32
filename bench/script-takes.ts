import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { request } from 'undici';
import { BENCH_KEY } from './ports.ts';
import type { TakesOrder } from './run-takes.ts';
import { carefulNotes, noNotes } from './script-notes.ts';

/**
 * The same run as a person would write it in an afternoon: p-queue, a POST for each shot, polls until it is done, a
 * download to a file. No journal, no checks, no recovery; with `careful` as many notes, checks and syncs as ours.
 */
const { projectFolder, serviceUrl, takes, careful } = JSON.parse(process.argv[2] ?? '') as TakesOrder;
mkdirSync(projectFolder, { recursive: true });
const headers = { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' };
/** As soon as it can be done. */
const POLL_MS = 100;
const queue = new PQueue({ concurrency: 16 });
const notes = careful === true ? await carefulNotes(projectFolder) : noNotes(projectFolder);

await queue.addAll(Array.from({ length: takes }, (_, index) => () => make(index)));

async function make(index: number): Promise<void> {
  const name = String(index);
  const body = JSON.stringify({ model: 'vgen-2.0-cl-fast', prompt: `Shot ${name}`, duration: 5 });
  await notes.write(name, { state: 'intended', body });
  const { id } = await asked('/v1/videos', { method: 'POST', headers, body });
  await notes.write(name, { state: 'accepted', body, task: id });
  let task: Task = { id, status: 'submitted' };
  while (task.status !== 'succeeded') {
    await sleep(POLL_MS);
    task = await asked(`/v1/videos/${id}`, { headers });
  }
  const { body: file } = await request(task.video_url ?? task.output?.[0]?.url ?? '');
  const sha256 = await notes.keep(file, join(projectFolder, `${name}.mp4`));
  await notes.write(name, { state: 'saved', body, task: id, sha256 });
}

interface Task {
  readonly id: string;
  readonly status: string;
  readonly video_url?: string;
  readonly output?: readonly { readonly url?: string }[];
}

async function asked(path: string, options: Parameters<typeof request>[1]): Promise<Task> {
  const { body } = await request(serviceUrl + path, options);
  return (await body.json()) as Task;
}
