import { sayText } from '../../../../src/contract/messages/words.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Described, Describer } from '../../../../src/contract/tool.ts';
import { readDescriptions } from '../../../../src/engine/tools/describe/describe.ts';
import { aPicture } from '../../../support/billable-posts.ts';
import { forEachTest, type World } from '../../../support/world.ts';

let world: World;
let path: string;

forEachTest((opened) => (world = opened), { settings: { submitTimeoutSeconds: 60, answerTimeoutSeconds: 60 } });
beforeEach(async () => {
  await world.start();
  path = join(world.folder, 'day.png');
  writeFileSync(path, aPicture);
});

const ask = (describer: Describer, isAgreed = false): Promise<Described> =>
  world.whilePumping(world.engine.tools.describe({ picture: { path }, describer, isAgreed }));
const found = (answer: Described) => {
  if (answer.type === 'failed') throw new Error(sayText(answer.failure.message));
  return answer;
};
const commits = () => world.service.ledger.commits;
const calls = () => world.service.ledger.posts().filter(({ path: to }) => to.includes('describe')).length;

describe.each([
  ['typo', '/typo/describe'],
  ['job', '/jobimg/submit/describe'],
] as const)('a description by %s', (describer, entry) => {
  it('is paid for once, kept until it is used, and the same for the same picture', async () => {
    const first = found(await ask(describer));
    expect(first.texts[0]).toMatch(/\w+ \w+/);
    expect(found(await ask(describer)).texts).toEqual(first.texts);
    expect([calls(), commits()]).toEqual([1, 1]);
    await world.engine.tools.runner.markUsed(first.callId);
    expect(found(await ask(describer)).texts).toEqual(first.texts);
    expect([calls(), commits()]).toEqual([2, 2]);
  });

  it.each([
    ['is reset', { fault: 'reset', commit: true }],
    ['gets no answer', { fault: 'hang', commit: true }],
    ['gets a 502', { fault: 'status', status: 502, commit: true }],
  ] as const)('is not asked for again by itself when the request %s', async (_what, fault) => {
    world.fault({ method: 'POST', path: entry }, fault);
    expect(await ask(describer)).toMatchObject({ type: 'failed', failure: { cost: 'maybe' } });
    expect(await ask(describer)).toMatchObject({ type: 'failed', failure: { cost: 'maybe' } });
    expect(calls()).toBe(1);
    expect(found(await ask(describer, true)).texts).toHaveLength(1);
    expect(calls()).toBe(2);
  });
});

it('a task that failed is told, and another picture is another question', async () => {
  world.fault({ method: 'POST', path: '/jobimg/submit/describe' }, { fault: 'outcome', end: 'failed' });
  expect(await ask('job')).toMatchObject({ type: 'failed', failure: { code: 'not_described' } });
  const first = found(await ask('job'));
  writeFileSync(path, Buffer.concat([aPicture, Buffer.from('more')]));
  expect(found(await ask('job')).texts).not.toEqual(first.texts);
  expect(calls()).toBe(3);
});

it.each([
  ['typo', '/typo/describe'],
  ['job', '/jobimg/submit/describe'],
] as const)('a picture that %s refuses in its answer has no description', async (describer, entry) => {
  const body = { code: 24, description: 'The picture is not allowed' };
  world.fault({ method: 'POST', path: entry }, { fault: 'status', status: 200, body });
  const answer = await ask(describer);
  if (answer.type !== 'failed') throw new Error(`described as ${answer.texts.join()}`);
  if (describer === 'job') expect(answer.failure).toMatchObject({ code: '24', cost: 'nothing' });
  expect(answer.failure.message).saying(/The picture is not allowed/);
});

it('what the job-style family says about its task is no description of the picture', async () => {
  const fetched = { code: 1, description: 'Task done', status: 'SUCCESS', properties: { finalPrompt: 'A harbour' } };
  world.fault({ method: 'GET', path: '/jobimg/task/*' }, { fault: 'status', status: 200, body: fetched });
  expect(found(await ask('job')).texts).toEqual(['A harbour']);
});

it('a description is read under any usual name', () => {
  expect(readDescriptions({ descriptions: [{ text: 'A' }, 'B', { text: 'A' }] }, 'typo')).toEqual(['A', 'B']);
  expect(readDescriptions({ data: { description: ' A ' } }, 'typo')).toEqual(['A']);
  expect(readDescriptions({ prompt: 'B', properties: { finalPrompt: 'A' } }, 'typo')).toEqual(['A', 'B']);
  expect(readDescriptions({ code: 24, description: 'Refused' }, 'typo')).toEqual([]);
  expect(readDescriptions('text', 'typo')).toEqual([]);
});
