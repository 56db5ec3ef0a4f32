import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PQueue from 'p-queue';
import * as z from 'zod';
import { findingsOf, limitOf, write, type Finding } from '../finding.ts';
import { inTurnsBy, type ManySided } from '../measure.ts';
import { SimulatedService, type Answer, type ServiceRules, type Shot, type Task } from '../places/service.ts';
import { asAnOracle, asWeDo, type Way } from '../places/ways.ts';
import type { MeasureRow, RowOptions } from '../row.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { SimulatedTime } from '../simulated-time.ts';

const SHOTS = 500;
const FAULTS = 0.01;
const TaskTimes = z.object({ times: z.record(z.string(), z.array(z.number())) });
const FILE = join(import.meta.dirname, '..', 'data', 'task-times.json');

interface Scene {
  readonly what: string;
  /** Limits of the service, known to the oracle only. */
  readonly rules: ServiceRules;
}

const bounded = (submits: number): ServiceRules => ({
  placesInAll: 12,
  rate: { submits, windowMs: 2000 },
  retryAfterMs: 5000,
});

const SCENES: readonly Scene[] = [
  { what: '12 places, 3 submits in 2 s', rules: bounded(3) },
  { what: '12 places, one submit in 2 s', rules: bounded(1) },
];

/** From a request to its answer, ms. */
const THERE_AND_BACK_MS = 200;
const AT_ONCE = 4;
const POLL_MS = 5000;
/** curl with --retry 5 --retry-all-errors, and p-retry with its defaults: a second first, then twice as long each time. */
const RETRIES = 5;
const FIRST_RETRY_MS = 1000;

type Figure = 'seconds' | 'paidTwice' | 'undecided' | 'throttled';
type Times = Readonly<Record<string, readonly number[]>>;

/**
 * A night of 500 shots of four models, in simulated time: by our own limiter, ceilings and times of polls, by an oracle
 * that knows at every moment whether a submit would be taken, by a real p-queue of four jobs with retries, and by four
 * loops of curl, which are simulated. One more p-queue is told how many places there are. A submit in a hundred gets no
 * clear answer, half of them with a task made: ours and the oracle's wait for a person then, the scripts send them again.
 * Each round has tasks and faults of its own, the same for all.
 */
export const measure: MeasureRow = async (options) => {
  const { times } = TaskTimes.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  const findings: Finding[] = [];
  for (const scene of SCENES) findings.push(...(await compare(scene, times, options)));
  return findings;
};

async function compare({ what, rules }: Scene, times: Times, { rounds }: RowOptions): Promise<Finding[]> {
  const side = (name: string, way: AnyWay): ManySided<Figure> => {
    let round = 0;
    return { name, measure: () => run(way, shotsOf(times, round), rules, round++) };
  };
  const { seconds, paidTwice, undecided, throttled } = await inTurnsBy(
    rounds,
    ['seconds', 'paidTwice', 'undecided', 'throttled'],
    side('Dailies', asWeDo),
    [
      side('an oracle', asAnOracle),
      side('a p-queue of four', asAPQueue(AT_ONCE)),
      side('four loops of curl', asCurl),
      side('a p-queue of twelve', asAPQueue(12)),
    ],
  );
  const count = { name: '', digits: 0 };
  const paid = limitOf('… paid twice', count, paidTwice.ours.figure, { atMost: 0 });
  return [
    ...findingsOf(`A night of ${String(SHOTS)} shots, ${what}`, { name: 's', digits: 0 }, seconds, [
      { atMost: 1.05 },
      { atMost: 1 },
      { atMost: 1 },
    ]),
    ...paidTwice.peers
      .slice(1)
      .map(({ name, figure }) => ({ ...paid, peer: `${write(figure.median, count)}, ${name}` })),
    limitOf('… left for a decision, at most', count, undecided.ours.figure, null),
    limitOf('… 429s, at most', count, throttled.ours.figure, null),
  ];
}

type AnyWay = (...args: Parameters<Way>) => void | Promise<void>;

/** A list in which the models are mixed, with times as they were noted for each. */
function shotsOf(times: Times, round: number): Shot[] {
  const random = seededRandom(round + 1);
  const models = Object.entries(times);
  return Array.from({ length: SHOTS }, () => {
    const [model, ofModel] = models[Math.floor(random() * models.length)] ?? ['', []];
    const takesMs = ofModel[Math.floor(random() * ofModel.length)] ?? 0;
    const fault = random() >= FAULTS ? undefined : random() < 0.5 ? 'made' : 'not_made';
    return { model, takesMs, fault };
  });
}

async function run(
  way: AnyWay,
  shots: readonly Shot[],
  rules: ServiceRules,
  seed: number,
): Promise<Record<Figure, number>> {
  const turns = new SimulatedTime();
  const service = new SimulatedService(turns, rules);
  const done = way(turns, service, shots, seededRandom(seed + 1));
  await turns.runAsync();
  await done;
  const { lastSeenDone, throttled, paidTwice, unclear } = service;
  return { seconds: lastSeenDone / 1000, throttled, paidTwice, undecided: unclear };
}

/** A POST that is tried again whatever becomes of it, then a poll every so often. */
async function makeByScript(turns: SimulatedTime, service: SimulatedService, shot: Shot): Promise<void> {
  const task = await postUntilTaken(turns, service, shot);
  while (task) {
    await turns.sleep(POLL_MS + THERE_AND_BACK_MS);
    if (service.isDone(task)) return;
  }
}

async function postUntilTaken(turns: SimulatedTime, service: SimulatedService, shot: Shot): Promise<Task | null> {
  for (let tries = 0; ;) {
    await turns.sleep(THERE_AND_BACK_MS);
    const answer: Answer = service.submit(shot);
    if (answer !== 'unclear' && 'endsAt' in answer) return answer;
    if (answer !== 'unclear') await turns.sleep(answer.retryAfterMs);
    else if (tries < RETRIES) await turns.sleep(FIRST_RETRY_MS * 2 ** tries++);
    else return null;
  }
}

const asAPQueue =
  (concurrency: number): AnyWay =>
  async (turns, service, shots) => {
    const queue = new PQueue({ concurrency });
    await queue.addAll(shots.map((shot) => () => makeByScript(turns, service, shot)));
  };

/** Each loop has every fourth line of the list. */
const asCurl: AnyWay = async (turns, service, shots) => {
  const loop = async (first: number): Promise<void> => {
    for (const [index, shot] of shots.entries())
      if (index % AT_ONCE === first) await makeByScript(turns, service, shot);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => loop(first)));
};
