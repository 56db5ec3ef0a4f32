import { textForLog } from '../../src/contract/messages/message.ts';
import { join } from 'node:path';
import { Pool, request } from 'undici';
import { Settings } from '../../src/contract/settings.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { seedFolder, specOf } from '../../test/support/seed-folder.ts';
import { findingsOf, limitOf } from '../finding.ts';
import { inTurns, spreadOf, timed, watchTurns, type Side } from '../measure.ts';
import { BENCH_KEY, benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { DIMENSIONS } from '../served-answers.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { startServer } from '../start-server.ts';

const TAKES = 10_000;
const TEXTS_A_CALL = 100;
const PAGE = 100;
const MAX_ROUNDS = 1;

/**
 * A project of 10,000 different prompts, indexed and searched. The peers: undici that asks for the same vectors and keeps
 * them in typed arrays, and the plain cosine over such arrays. Ours journals each call, keeps its answer and its vectors on
 * disk, and a search reads the texts and gives a page of takes.
 */
export const measure: MeasureRow = async ({ rounds, folder }) => {
  const server = await startServer();
  const path = join(folder, 'film');
  await seedFolder(path, TAKES);
  const settings = Settings.parse({ baseUrl: server.url, maxRate: { submit: 100_000 } });
  const start = () =>
    startEngine({ dataFolder: join(folder, 'data'), settings, ports: benchPorts(), command: 'bench' });
  let engine = await start();
  const { id: projectId } = await engine.projects.open(path);
  const pool = new Pool(server.url);
  const count = Math.min(rounds, MAX_ROUNDS);
  const indexed = await inTurns(count, index(engine, projectId), [bareIndex(pool, server.url)]);
  for (let round = 0; round <= 2 * count + 2; round += 1) await ask(engine, projectId, round);
  const searched = await inTurns(2 * count, search(engine, projectId), [plainCosine()]);
  await engine.stop();
  engine = await start();
  const turns = watchTurns();
  const first = await timed(() => page(engine, projectId, 0));
  const longest = turns();
  await Promise.all([engine.stop(), pool.close()]);
  server.stop();
  return [
    ...findingsOf('Indexing 10,000 prompts for search by meaning', { name: '/s', digits: 0 }, indexed, [
      { atLeast: 0.3 },
    ]),
    ...findingsOf('A question among them, to the first page', { name: 'ms', digits: 0 }, searched, [{ atMost: 10 }]),
    limitOf('… the first one after a start', { name: 'ms', digits: 0 }, spreadOf([first]), { atMost: 1000 }),
    limitOf('… longest turn of that, processor time', { name: 'ms', digits: 0 }, spreadOf([longest]), { atMost: 50 }),
  ];
};

/** Each round has a model of its own: what is indexed stays so. */
const modelOf = (round: number): string => `embed-${String(round)}`;
const questionOf = (round: number): string => `question ${String(round)}`;

function index({ tools }: Engine, projectId: string): Side {
  let round = -1;
  return {
    name: 'ours',
    async measure() {
      round += 1;
      const scope = { projectId, model: modelOf(round), isAgreed: false };
      const ms = await timed(async () => {
        for (let done = 0; done < TAKES;) {
          const step = await tools.meaning.index(scope);
          if (step.type === 'failed') throw new Error(textForLog(step.failure.message));
          done = step.indexed;
        }
      });
      return (TAKES / ms) * 1000;
    },
  };
}

const bareIndex = (dispatcher: Pool, url: string): Side => ({
  name: 'bare undici, into typed arrays',
  async measure() {
    const vectors: Float32Array[] = [];
    const ms = await timed(async () => {
      while (vectors.length < TAKES) {
        const input = Array.from({ length: TEXTS_A_CALL }, (_none, at) => specOf(vectors.length + at).prompt);
        const { body } = await request(`${url}/v1/embeddings`, {
          ...{ dispatcher, method: 'POST' as const, body: JSON.stringify({ model: 'embed', input }) },
          headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
        });
        const { data } = (await body.json()) as { data: { embedding: number[] }[] };
        for (const { embedding } of data) vectors.push(Float32Array.from(embedding));
      }
    });
    return (TAKES / ms) * 1000;
  },
});

async function ask({ tools }: Engine, projectId: string, round: number): Promise<void> {
  const wanted = { projectId, model: modelOf(0), text: questionOf(round), limit: 1, isAgreed: false };
  const found = await tools.meaning.search(wanted);
  if (found.type === 'failed') throw new Error(textForLog(found.failure.message));
}

async function page({ review }: Engine, projectId: string, round: number): Promise<void> {
  const near = { model: modelOf(0), text: questionOf(round) };
  const { takes } = await review.list({ projectId, sort: 'list', near }, { start: 0, count: PAGE });
  if (takes.length !== PAGE) throw new Error(`${String(takes.length)} takes were found.`);
}

function search(engine: Engine, projectId: string): Side {
  let round = -1;
  return {
    name: 'ours',
    measure: () => timed(() => page(engine, projectId, (round += 1))),
  };
}

function plainCosine(): Side {
  const random = seededRandom(2);
  const vector = (): Float32Array => Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const vectors = Array.from({ length: TAKES }, vector);
  return {
    name: 'plain cosine in typed arrays',
    measure: () => {
      const question = vector();
      return timed(() => {
        const scores = vectors.map((each) => {
          let sum = 0;
          for (let at = 0; at < DIMENSIONS; at += 1) sum += (each[at] ?? 0) * (question[at] ?? 0);
          return sum;
        });
        return Array.from(scores.keys())
          .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
          .slice(0, PAGE);
      });
    },
  };
}
