import { Client, Pool, request } from 'undici';
import { taskPath, unlimitedQueues } from '../../test/engine/api/support.ts';
import { createServiceClient, toTimeouts, type ServiceClient } from '../../src/engine/api/client.ts';
import { videos } from '../../src/engine/api/resources/requests.ts';
import { Settings } from '../../src/contract/settings.ts';
import { findingsOf } from '../finding.ts';
import { inTurns, manyAtOnce, timed, type Side } from '../measure.ts';
import { BENCH_KEY, benchPorts } from '../ports.ts';
import type { MeasureRow } from '../row.ts';
import { startServer } from '../start-server.ts';

const POLLS = 12_000;
const POLLS_AT_ONCE = 16;
const SUBMITS = 1000;
const SUBMITS_AT_ONCE = 4;
const unit = { name: '/s', digits: 0 };

const order = {
  model: 'vgen-2.0-cl-fast',
  prompt: 'A lighthouse in a storm, waves breaking over the rocks, slow dolly in, cold morning light',
  duration: 5,
};

/**
 * Calls to the service in the slots of their queues, as many at once as the settings allow, against undici's own `request` that reads the same
 * answer as JSON. Polls keep their connections. A submit opens one of its own, since a kept one may be closing just
 * then and would leave a paid request of unknown fate; its peer does the same, and says so to the server as we do.
 */
export const measure: MeasureRow = async ({ rounds }) => {
  const server = await startServer();
  const { clock, logger } = benchPorts();
  const timeouts = toTimeouts(Settings.parse({}));
  const client = createServiceClient({
    baseUrl: server.url,
    apiKey: () => BENCH_KEY,
    clock,
    logger,
    timeouts,
    queues: unlimitedQueues(clock),
  });
  const pool = new Pool(server.url);
  const polls = await inTurns(rounds, ourPolls(client), [barePolls(server.url, pool)]);
  const submits = await inTurns(rounds, ourSubmits(client), [bareSubmits(server.url)]);
  await Promise.all([client.close(), pool.close()]);
  server.stop();
  return [
    ...findingsOf(`Polls, ${POLLS_AT_ONCE} at once`, unit, polls, [{ atLeast: 0.7 }]),
    ...findingsOf(`Submits, ${SUBMITS_AT_ONCE} at once`, unit, submits, [{ atLeast: 0.7 }]),
  ];
};

const ourPolls = (client: ServiceClient): Side =>
  callsPerSecond('ours', POLLS, POLLS_AT_ONCE, async (index) => {
    const outcome = await client.queues.poll.run(() => client.poll(taskPath('video', `task_${index}`)));
    if (outcome.type !== 'task') throw new Error(`A poll came to ${outcome.type}.`);
  });

const barePolls = (url: string, dispatcher: Pool): Side =>
  callsPerSecond('bare undici', POLLS, POLLS_AT_ONCE, async (index) => {
    const headers = { authorization: `Bearer ${BENCH_KEY}` };
    const { body } = await request(`${url}/v1/videos/task_${index}`, { dispatcher, headers });
    await body.json();
  });

const ourSubmits = (client: ServiceClient): Side =>
  callsPerSecond('ours', SUBMITS, SUBMITS_AT_ONCE, async () => {
    const outcome = await client.queues.submit.run(() => client.submit(videos.create(order)));
    if (outcome.type !== 'accepted') throw new Error(`A submit came to ${outcome.type}.`);
  });

const bareSubmits = (url: string): Side =>
  callsPerSecond('bare undici, a connection each', SUBMITS, SUBMITS_AT_ONCE, async () => {
    const connection = new Client(url);
    const { body } = await connection.request({
      method: 'POST',
      path: '/v1/videos',
      headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(order),
      reset: true,
    });
    await body.json();
    await connection.close();
  });

const callsPerSecond = (name: string, count: number, atOnce: number, call: (index: number) => Promise<void>): Side => ({
  name,
  measure: async () => (count / (await timed(() => manyAtOnce(count, atOnce, call)))) * 1000,
});
