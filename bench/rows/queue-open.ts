import { t, setLanguage } from '../../src/contract/messages/words.ts';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Contract } from '../../src/contract/procedures.ts';
import { headersOf } from '../../test/support/entry.ts';
import { limitOf } from '../finding.ts';
import { spreadOf } from '../measure.ts';
import type { MeasureRow } from '../row.ts';
import { jobIdAt, seedUnfinished, shotKeyAt } from '../seed-unfinished.ts';
import { startServer } from '../start-server.ts';
import { openBrowser, type BenchWindow } from '../window/browser.ts';
import { ServedWindow } from '../window/served-window.ts';
import type { Tasks } from '../window/trace.ts';

await setLanguage('en');

const JOBS = 20_000;
/** So many jobs are changed in one go, so often a second: a thousand changes a second. */
const AT_ONCE = 100;
const EVERY_MS = 100;
const LASTS_MS = 3000;
const MAX_ROUNDS = 1;
/** For so long after the last change what is shown is looked at again, ms: the window reads the list once more by then. */
const TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 500;

type Api = ContractRouterClient<Contract>;

/**
 * The queue view over 20,000 jobs with running tasks, while a thousand jobs a second are held or released: by calls of
 * the window's own procedures, so that each change is committed, announced and shown like any other. Half of them are
 * at the top of the list, in sight. At the end the view is compared with what the calls did.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const service = await startServer();
  const dataFolder = join(folder, 'data');
  const projectPath = join(folder, 'film');
  mkdirSync(projectPath);
  seedUnfinished({ dataFolder, projectPath, origin: service.url, jobs: { polling: JOBS } });
  const server = await ServedWindow.start(dataFolder, service.url);
  const api = apiOf(server);
  const browser = await openBrowser();
  const window = await browser.newWindow();
  await server.admit(window);
  await window.page.goto(`${server.address}/#/queue`);
  await window.page
    .getByRole('tab', { name: `${t('queue.groupUnderWay')} ${JOBS.toLocaleString('en')}` })
    .waitFor({ timeout: 120_000 });

  const held = new Set<number>();
  const memory = [];
  const tasks: Tasks[] = [];
  const rates: number[] = [];
  const wrong: number[] = [];
  for (let round = 0; round <= Math.min(rounds, MAX_ROUNDS); round += 1) {
    let rate = 0;
    const done = await browser.tasksDuring(window, async () => {
      rate = await changeJobs(api, held, round);
    });
    const differing = await differencesLeft(held, window);
    wrong.push(differing);
    const used = await server.memory();
    if (round === 0) continue;
    tasks.push(done);
    rates.push(rate);
    memory.push(used);
  }
  await browser.close();
  await server.stop();
  service.stop();
  const ms = { name: 'ms', digits: 0 };
  const mb = { name: 'MB', digits: 0 };
  const rate = written(Math.round(spreadOf(rates).median));
  return [
    limitOf(
      `Queue of 20,000, ${rate} changes a second: longest task`,
      ms,
      spreadOf(tasks.map(({ longest }) => longest)),
      null,
    ),
    limitOf('… of that, processor time', ms, spreadOf(tasks.map(({ longestWork }) => longestWork)), { atMost: 50 }),
    limitOf('… rows and counts shown wrong in the end', { name: '', digits: 0 }, spreadOf(wrong), { atMost: 0 }),
    limitOf('20,000 jobs, a window open: server (RSS)', mb, spreadOf(memory.map(({ rss }) => rss)), null),
    limitOf('… of that, heap in use', mb, spreadOf(memory.map(({ heap }) => heap)), null),
  ];
};

const apiOf = ({ address, entered }: ServedWindow): Api =>
  createORPCClient(new RPCLink({ url: `${address}/rpc`, headers: headersOf(entered) }));

/**
 * Holds jobs back in the first round, lets them go on in the next, and so on: some of the first, some from all over the
 * list. Resolves with how many were changed a second.
 */
async function changeJobs(api: Api, held: Set<number>, round: number): Promise<number> {
  const holds = round % 2 === 0;
  const start = performance.now();
  const calls: Promise<unknown>[] = [];
  for (let call = 0; call * EVERY_MS < LASTS_MS; call += 1) {
    const some = Array.from({ length: AT_ONCE }, (_, index) =>
      index % 2 === 0 ? (call * AT_ONCE) / 2 + index / 2 : (call * 7919 + index * 104_729) % JOBS,
    );
    for (const index of some) held[holds ? 'add' : 'delete'](index);
    calls.push(api.jobs.hold({ ids: some.map(jobIdAt), held: holds }));
    await wait(Math.max(0, start + (call + 1) * EVERY_MS - performance.now()));
  }
  await Promise.all(calls);
  return Math.round((calls.length * AT_ONCE * 1000) / (performance.now() - start));
}

async function differencesLeft(held: ReadonlySet<number>, window: BenchWindow): Promise<number> {
  for (const until = performance.now() + TIMEOUT_MS; ; await wait(LOOK_EVERY_MS)) {
    const left = await differences(held, window);
    if (left === 0 || performance.now() > until) return left;
  }
}

/** How many of the tabs' counts and of the rows in sight are not as they have to be. */
async function differences(held: ReadonlySet<number>, window: BenchWindow): Promise<number> {
  const tabs = await window.page.getByRole('tab').allTextContents();
  const counts = [
    `${t('queue.groupUnderWay')} ${written(JOBS - held.size)}`,
    `${t('state.waiting')} ${written(held.size)}`,
  ].filter((tab) => !tabs.some((text) => text.replace(/\s+/g, ' ').trim() === tab));
  const going = new Set(
    Array.from({ length: JOBS }, (_, index) => index)
      .filter((index) => !held.has(index))
      .map(shotKeyAt),
  );
  const rows = await window.ask<string[][]>(`rowTexts('#queue-rows')`);
  // The first row is the header; the first tab shows what goes on.
  const shown = rows.filter((cells) => cells.length > 0);
  if (shown.length === 0) throw new Error('The queue shows no rows.');
  return counts.length + shown.filter((cells) => !cells.some((cell) => going.has(cell))).length;
}

const written = (count: number): string => count.toLocaleString('en');
