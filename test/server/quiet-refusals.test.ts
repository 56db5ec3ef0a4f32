import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enter, headersOf, type Entered } from '../support/entry.ts';
import { Served } from './support.ts';

/** As a page of ours asks. */
const quietRefusals = { 'x-dailies-refusals': 'quietly' };

let served: Served;
let entered: Entered;
beforeAll(async () => {
  served = await Served.open();
  entered = await enter((await served.web()).newEntry());
});
afterAll(() => served.close());

const headers = (more: object = {}) => ({ ...headersOf(entered), ...more });
const open = (path: string, more: object = {}) =>
  fetch(`${entered.address}/rpc/projects/open`, {
    method: 'POST',
    headers: { ...headers(more), 'content-type': 'application/json' },
    body: JSON.stringify({ json: { path } }),
  });

describe('a refusal, which browsers would call an error of the page', () => {
  it('comes as a success to a client that asks for that, and says what it is', async () => {
    const answer = await open('not-a-whole-path', quietRefusals);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-dailies-status')).toBe('409');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toMatchObject({ json: { code: 'REFUSED', status: 409 } });
  });

  it('keeps its status for everybody else', async () => {
    const answer = await open('not-a-whole-path');
    expect(answer.status).toBe(409);
    expect(answer.headers.has('x-dailies-status')).toBe(false);
  });

  it('is the only answer that is covered: a call that is wrong stays an error', async () => {
    expect((await open('', quietRefusals)).status).toBe(400);
    expect((await open('x', { ...quietRefusals, authorization: 'Bearer wrong' })).status).toBe(401);
  });
});
