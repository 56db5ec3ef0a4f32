import { findingsOf, type Finding, type Goal } from '../finding.ts';
import { inTurnsBy, type ManySided } from '../measure.ts';
import { SimulatedService, type ServiceRules } from '../places/service.ts';
import { asAnOracle, asAScript, asWeDo, type Way } from '../places/ways.ts';
import type { MeasureRow, RowOptions } from '../row.ts';
import { normal, seededRandom } from '../../test/support/seeded-random.ts';
import { SimulatedTime } from '../simulated-time.ts';

const SHOTS = 500;
/** Tasks are log-normal about this time, ms. */
const USUAL_TASK_MS = 8500;
const SPREAD = 0.4;
const MINUTE = 60_000;
const RETRY_AFTER_MS = 2000;

interface Scene {
  readonly what: string;
  readonly rules: Omit<ServiceRules, 'retryAfterMs'>;
  readonly models?: readonly string[];
  /** Of the time that an oracle takes. */
  readonly goal: Goal;
}

const placesOf: Readonly<Record<string, number>> = { 'model-a': 3, 'model-b': 1, 'model-c': 5 };
const models = Object.keys(placesOf);

const SCENES: readonly Scene[] = [
  { what: 'three places', rules: { places: () => 3 }, goal: { atMost: 1.2 } },
  { what: 'two submits in four seconds', rules: { rate: { submits: 2, windowMs: 4000 } }, goal: { atMost: 1.25 } },
  {
    what: 'six places, one submit in 1.5 s',
    rules: { places: () => 6, rate: { submits: 1, windowMs: 1500 } },
    goal: { atMost: 1.3 },
  },
  {
    what: '3 places, then 8, then 4',
    rules: { places: (_, now) => (now < 8 * MINUTE ? 3 : now < 14 * MINUTE ? 8 : 4) },
    goal: { atMost: 1.75 },
  },
  {
    what: 'three models of 3, 1 and 5 places',
    rules: { places: (model) => placesOf[model] ?? 0 },
    models,
    goal: { atMost: 1.2 },
  },
  { what: 'three models that share 4 places', rules: { placesInAll: 4 }, models, goal: { atMost: 1.2 } },
];

/**
 * How many of a service's places are kept busy, in simulated time: by our own limiter, ceilings and times of polls, by
 * an oracle that knows at every moment whether a submit would be taken, and by a p-queue of eight jobs that wait as
 * long as a 429 says and poll every two seconds. Each round has task times of its own.
 */
export const measure: MeasureRow = async (options) => {
  const findings: Finding[] = [];
  for (const scene of SCENES) findings.push(...(await compare(scene, options)));
  return findings;
};

async function compare({ what, rules, models: named = ['model-a'], goal }: Scene, { rounds }: RowOptions) {
  const shots = Array.from({ length: SHOTS }, (_, index) => named[index % named.length] ?? '');
  const side = (name: string, way: Way): ManySided<'seconds' | 'busy' | 'throttled'> => {
    let round = 0;
    return {
      name,
      measure: () => Promise.resolve(run(way, shots, { ...rules, retryAfterMs: RETRY_AFTER_MS }, round++)),
    };
  };
  const { seconds, busy, throttled } = await inTurnsBy(
    rounds,
    ['seconds', 'busy', 'throttled'],
    side('Dailies', asWeDo),
    [side('an oracle', asAnOracle), side('a p-queue script', asAScript({ atOnce: 8, pollMs: 2000 }))],
  );
  const [, ofScript] = throttled.peers;
  return [
    ...findingsOf(`${String(SHOTS)} shots, ${what}`, { name: 's', digits: 0 }, seconds, [goal]),
    ...findingsOf('… places kept busy', { name: '', digits: 2 }, busy, []),
    ...findingsOf('… 429s', { name: '', digits: 0 }, { ...throttled, peers: ofScript ? [ofScript] : [] }, [
      { atMost: 0.25 },
    ]),
  ];
}

function run(way: Way, models: readonly string[], rules: ServiceRules, seed: number) {
  const turns = new SimulatedTime();
  const random = seededRandom(seed + 1);
  const service = new SimulatedService(turns, rules);
  const shots = models.map((model) => ({ model, takesMs: USUAL_TASK_MS * Math.exp(SPREAD * normal(random)) }));
  way(turns, service, shots, random);
  turns.run();
  const { lastSeenDone: ms, throttled } = service;
  return { seconds: ms / 1000, busy: service.busy(ms), throttled };
}
