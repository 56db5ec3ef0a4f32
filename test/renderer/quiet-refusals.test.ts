import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Contract } from '../../src/contract/procedures.ts';
import { fetchQuietly, quietRefusals } from '../../src/renderer/lib/quiet-refusals.ts';

afterEach(() => vi.unstubAllGlobals());

const api: ContractRouterClient<Contract> = createORPCClient(
  new RPCLink({ url: 'http://127.0.0.1/rpc', headers: quietRefusals, fetch: fetchQuietly }),
);

function answering(body: object, init: ResponseInit): Request[] {
  const asked: Request[] = [];
  vi.stubGlobal('fetch', (request: Request) => {
    asked.push(request);
    const headers = { 'content-type': 'application/json', ...init.headers };
    return Promise.resolve(new Response(JSON.stringify(body), { ...init, headers }));
  });
  return asked;
}

describe('a refusal that comes under cover of a success', () => {
  const refusal = {
    json: {
      defined: true,
      code: 'REFUSED',
      status: 409,
      message: 'This is not the full path of a folder.',
      data: { code: 'bad_folder', remedy: 'Enter the full path, from the root of the disk.' },
    },
  };

  it('is an error for the window, with its code and its remedy', async () => {
    const asked = answering(refusal, { status: 200, headers: { 'x-dailies-status': '409' } });
    const error = await api.projects.open({ path: 'x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ORPCError);
    expect(error).toMatchObject({ code: 'REFUSED', status: 409, data: refusal.json.data });
    expect(asked[0]?.headers.get('x-dailies-refusals')).toBe('quietly');
  });

  it('is told from an answer that only looks like one', async () => {
    answering({ json: [] }, { status: 200 });
    expect(await api.projects.list()).toEqual([]);
  });
});
