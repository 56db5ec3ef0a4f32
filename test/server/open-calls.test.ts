import type { Text } from '../../src/contract/messages/message.ts';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Served, type Api } from './support.ts';

let served: Served;
let api: Api;
let projectId: string;

beforeEach(async () => {
  served = await Served.open({
    settings: { currency: 'USD', prices: [{ model: 'chat-*', per: 'take', price: 0.02 }] },
  });
  api = served.inProcess();
  projectId = (await api.projects.open({ path: join(served.world.folder, 'Film') })).project.id;
  return () => served.close();
});

const posts = () => served.world.service.ledger.posts().length;
const rewrite = () => {
  const asked = {
    projectId,
    draftId: 'a list',
    model: 'chat-demo',
    ask: 'Make it night',
    prompts: ['A door', 'A hand'],
  };
  return served.world.whilePumping(api.tools.rewrite(asked));
};
const open = () => api.tools.open({ projectId });

describe('a call about prompts that a window was closed on', () => {
  it('keeps its input, gives its answer for nothing, and is gone once that was used', async () => {
    const proposal = await rewrite();
    const [call, ...others] = await open();
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      ...{ tool: 'rewrite', state: 'answered', about: expect.saying('Rewrite 2 prompts') as Text },
      asked: { draftId: 'a list', ask: 'Make it night', prompts: ['A door', 'A hand'] },
    });
    const callId = call?.id ?? '';
    expect(await api.tools.reopen({ callId })).toEqual({ ...proposal, wasPaid: true });
    expect(posts()).toBe(1);
    await api.tools.used({ callId });
    expect(await open()).toEqual([]);
    await expect(api.tools.reopen({ callId })).rejects.toMatchObject({ data: { code: 'answer_used' } });
    expect(posts()).toBe(1);
  });

  it('that may have been charged waits until it is dismissed', async () => {
    served.world.fault({ method: 'POST' }, { fault: 'reset', commit: true });
    expect(await rewrite()).toMatchObject({ type: 'failed', failure: { cost: 'maybe' } });
    const [call] = await open();
    expect(call).toMatchObject({ state: 'unclear', failure: { cost: 'maybe' } });
    await api.tools.dismiss({ callId: call?.id ?? '' });
    expect(await open()).toEqual([]);
  });

  it('and that belongs to another project is not shown', async () => {
    await rewrite();
    expect(await api.tools.open({ projectId: 'another' })).toEqual([]);
  });
});

it('calls cost what a take of their model costs, or nobody knows', async () => {
  expect(await api.tools.price({ model: 'chat-demo', calls: 3 })).toEqual({ price: 0.06, currency: 'USD' });
  expect(await api.tools.price({ model: 'other', calls: 3 })).toEqual({ price: null, currency: 'USD' });
});
