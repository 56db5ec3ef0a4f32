import { channel } from 'node:diagnostics_channel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PostReport, trackSend } from '../../../src/engine/api/post-once.ts';
import { readSubmit } from '../../../src/engine/api/read-outcome.ts';

const plain = (text: string): string => text;

const bodies = fc.oneof(
  fc.json(),
  fc.string(),
  fc
    .record({ id: fc.jsonValue(), task_id: fc.jsonValue(), data: fc.jsonValue(), error: fc.jsonValue() })
    .map((body) => JSON.stringify(body)),
);
const reports: fc.Arbitrary<PostReport> = fc.record<PostReport>({
  maySent: fc.boolean(),
  head: fc.option(fc.integer({ min: 200, max: 599 }).map((status) => ({ status, headers: {} }))),
  received: bodies.map((text) => [Buffer.from(text)]),
  error: fc.constantFrom(null, new Error('broken')),
});

it('the promise about money calls an answer free only when it proves that nothing was accepted', () => {
  fc.assert(
    fc.property(reports, fc.constantFrom('task' as const, 'json' as const, 'bytes' as const), (report, answers) => {
      const outcome = readSubmit(report, { answers, operation: 'videos.create' }, 0, plain);
      const status = report.maySent ? report.head?.status : undefined;
      const success = status !== undefined && status < 300 && report.error === null;
      expect(outcome.type === 'never_sent').toBe(!report.maySent);
      expect(outcome.type === 'refused').toBe([400, 401, 402, 403, 404, 405, 413, 415, 422].includes(status ?? 0));
      expect(outcome.type === 'throttled').toBe(status === 429);
      if (outcome.type === 'accepted' || outcome.type === 'answered') expect(success).toBe(true);
      if (outcome.type === 'accepted') expect(outcome.taskId).toMatch(/^\S+$/);
    }),
    { numRuns: 500 },
  );
});

describe('the answer to a job-style submit', () => {
  const read = (body: object, operation = 'images.submitJob.imagine') =>
    readSubmit(
      { maySent: true, head: { status: 200, headers: {} }, received: [Buffer.from(JSON.stringify(body))], error: null },
      { answers: 'task', operation },
      0,
      plain,
    );
  const banned = { code: 24, description: 'The prompt has a banned word', properties: { bannedWord: 'gore' } };

  it('refuses it, where its code is no success and its description says why', () => {
    const complaint = { code: '24', message: banned.description };
    expect(read(banned)).toMatchObject({ type: 'refused', complaint });
    expect(read({ ...banned, result: '' })).toMatchObject({ type: 'refused', complaint });
  });

  it.each([
    ['a code of success without a task', { code: 1, description: 'Submit success' }, 'unclear'],
    ['a code alone', { code: 24 }, 'unclear'],
    ['a task, whatever its code is', { ...banned, result: 'task_1' }, 'accepted'],
    ['a task that waits in line', { code: 22, description: 'In queue', result: 'task_1' }, 'accepted'],
  ])('does not refuse it with %s', (_what, body, type) => {
    expect(read(body).type).toBe(type);
  });

  it('is the only one that is read so', () => {
    expect(read(banned, 'videos.create').type).toBe('unclear');
  });
});

it('the witness of a submit lets no second connection be opened once the request has begun to leave', () => {
  const body = Buffer.from('{}');
  let opened = 0;
  const witness = trackSend(
    body,
    () => (opened += 1),
    () => undefined,
  );
  const connect = (): unknown[] => {
    const told: unknown[] = [];
    witness.connect({ hostname: 'h', protocol: 'http:', port: '80' }, (...result) => told.push(...result));
    return told;
  };
  const leaving = channel('undici:client:sendHeaders');

  leaving.publish({ request: { body: Buffer.from('{}') } });
  expect(witness.maySent).toBe(false);
  expect(connect()).toEqual([]);
  leaving.publish({ request: { body } });
  expect(witness.maySent).toBe(true);
  expect(connect()).toEqual([expect.any(Error), null]);
  expect(opened).toBe(1);
  witness.stop();
});
