import { describe, expect, it } from 'vitest';
import { startBench, type Bench, type Reply } from './support.ts';

const ask = { role: 'user', content: 'A lighthouse' };
const CHAT = { model: 'chat-demo', messages: [ask] };

/** What is asked for takes its time; a synchronous call is answered when that is over. */
async function answered(bench: Bench, path: string, body: unknown): Promise<Reply> {
  const reply = bench.post(path, body);
  while (bench.clock.sleeping === 0) await new Promise((resolve) => setImmediate(resolve));
  bench.letEverythingFinish();
  return reply;
}

const said = ({ json }: Reply): unknown => (json.choices as { message: object }[])[0]?.message;

describe('a request for a text', () => {
  it('is billed once it is accepted, and follows from its words and how often they were sent', async () => {
    const run = async (): Promise<unknown[]> => {
      const bench = await startBench();
      const ship = { ...CHAT, messages: [{ ...ask, content: 'A ship' }] };
      const texts: unknown[] = [];
      for (const body of [CHAT, CHAT, ship]) texts.push(said(await answered(bench, '/v1/chat/completions', body)));
      expect(bench.service.ledger.commits).toBe(3);
      return texts;
    };
    const [first, again, other] = await run();
    expect(again).not.toEqual(first);
    expect(other).not.toEqual(first);
    expect(await run()).toEqual([first, again, other]);
  });

  it('that fails is told as an error, and is struck by faults for its words', async () => {
    const bench = await startBench();
    bench.fault({ kind: 'text', prompt: 'lighthouse' }, { fault: 'outcome', end: 'failed' });
    expect(await answered(bench, '/v1/chat/completions', CHAT)).toMatchObject({
      status: 400,
      code: 'content_rejected',
    });
    bench.fault({ model: 'chat-demo' }, { fault: 'rate-limit' });
    expect(
      await bench.post('/v1beta/models/chat-demo:generateContent', { contents: [{ parts: [{ text: 'x' }] }] }),
    ).toMatchObject({ status: 429 });
  });
});
