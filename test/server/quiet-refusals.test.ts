import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Contract } from '../../src/contract/procedures.ts';
import { fetchQuietly, quietRefusals } from '../../src/renderer/lib/quiet-refusals.ts';
import type { WebHost } from '../../src/server/web/host.ts';
import { Served, tokenOf } from './support.ts';

let served: Served;
let host: WebHost;
beforeAll(async () => {
  served = await Served.open();
  host = await served.web();
});
afterAll(() => served.close());

const headers = (more: object = {}) => ({ authorization: `Bearer ${tokenOf(host)}`, 'x-dailies': '1', ...more });
const open = (path: string, more: object = {}) =>
  fetch(`${host.address}/rpc/projects/open`, {
    method: 'POST',
    headers: { ...headers(more), 'content-type': 'application/json' },
    body: JSON.stringify({ json: { path } }),
  });

describe('a refusal, which browsers would call an error of the page', () => {
  it('comes under cover of a success to whoever asks for that, and says what it is', async () => {
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

  it('is an error again for the window, with its code and its remedy', async () => {
    const api: ContractRouterClient<Contract> = createORPCClient(
      new RPCLink({ url: `${host.address}/rpc`, headers: headers(quietRefusals), fetch: fetchQuietly }),
    );
    const refusal = await api.projects.open({ path: 'not-a-whole-path' }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ORPCError);
    expect(refusal).toMatchObject({
      code: 'REFUSED',
      status: 409,
      defined: true,
      data: { code: 'bad_folder', remedy: expect.stringContaining('top of the disk') },
    });
    expect(await api.projects.list()).toEqual([]);
  });
});
