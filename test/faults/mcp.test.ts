import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callSocket, socketIn } from '../support/entry.ts';
import { command, ensureBuilt } from './support/command.ts';
import { CommandProcesses } from './support/command-processes.ts';

beforeAll(ensureBuilt);

/** What a tool answers; a refusal is a text. */
interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly value: never;
}

/** The official client, connected to a real `dailies mcp` in the data folder. */
async function agentIn(house: CommandProcesses, ...leave: string[]) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const env = {
    ...(process.env as Record<string, string>),
    DAILIES_DATA: house.data,
    DAILIES_BASE_URL: house.service.url,
    DAILIES_API_KEY: house.service.apiKey,
  };
  const args = [command, 'mcp', ...leave];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: house.folder }));
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
    const { content, isError = false } = await client.callTool({ name, arguments: given });
    const [{ text }] = content as [{ readonly text: string }];
    return { isError: isError === true, text, value: (isError === true ? null : JSON.parse(text)) as never };
  };
  /** Gets the price, agrees to it, and returns both answers. */
  const spend = async (name: string, given: Record<string, unknown>) => {
    const priced = await call(name, given);
    const { confirm } = priced.value as { readonly confirm: string };
    return { priced, done: await call(name, { ...given, confirm }) };
  };
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  return { client, call, spend, names };
}

/** A project with a list of so many shots as a draft, opened by the agent. */
async function draftOf(agent: Awaited<ReturnType<typeof agentIn>>, projectId: string, rows: number) {
  const lines = Array.from({ length: rows }, (_, index) => `S${index},music,music-demo,number ${index}`);
  const text = ['shot,kind,model,prompt', ...lines].join('\n');
  const { value } = await agent.call('drafts_open', { projectId, source: { type: 'text', name: 'agent.csv', text } });
  const { id } = value as { readonly id: string };
  return { draftId: id, name: 'agent', again: false };
}

/** A project with three saved takes, and the id of it. */
async function projectIn(house: CommandProcesses): Promise<string> {
  writeFileSync(
    join(house.data, 'settings.json'),
    JSON.stringify({
      maxRate: { submit: 20 },
      currency: 'USD',
      prices: [{ model: 'music-demo', per: 'take', price: 0.5 }],
    }),
  );
  expect(await house.run('run', house.list('night', 3), '--project', 'film')).toMatchObject({ status: 0 });
  const { id } = JSON.parse(readFileSync(join(house.folder, 'film', '.dailies', 'project.json'), 'utf8')) as {
    id: string;
  };
  return id;
}

const commits = (house: CommandProcesses): number => house.service.ledger.commits;

describe('dailies mcp', () => {
  it('reads without leave, changes and spends nothing', async () => {
    const house = await CommandProcesses.open();
    const projectId = await projectIn(house);
    const agent = await agentIn(house);
    expect((await agent.call('projects_list')).value).toMatchObject([{ id: projectId, counts: { saved: 3 } }]);
    const jobs = await agent.call('jobs_list', { projectId, start: 0, count: 10 });
    expect(jobs.value).toMatchObject({ total: 3 });
    const [batch] = (await agent.call('batches_list', { projectId })).value as { readonly id: string }[];
    const names = await agent.names();
    expect(names).toEqual(expect.arrayContaining(['projects_list', 'jobs_list', 'queue_view', 'takes_list']));
    for (const name of ['batches_rename', 'jobs_retry', 'drafts_start', 'tools_rewrite', 'queue_resume']) {
      expect(names).not.toContain(name);
    }
    const renamed = await agent.call('batches_rename', { batchId: batch?.id, name: 'day' });
    expect(renamed).toMatchObject({ isError: true, text: expect.stringContaining('--allow-changes') as string });
    const retried = await agent.call('queue_resume');
    expect(retried).toMatchObject({ isError: true, text: expect.stringContaining('--allow-spend') as string });
    expect(commits(house)).toBe(3);
  });

  it('changes what costs nothing as an agent, names no file, and lets itself do nothing more', async () => {
    const house = await CommandProcesses.open();
    const projectId = await projectIn(house);
    const agent = await agentIn(house, '--allow-changes');
    const [batch] = (await agent.call('batches_list', { projectId })).value as { readonly id: string }[];
    const renamed = await agent.call('batches_rename', { batchId: batch?.id, name: 'day' });
    expect(renamed.value).toMatchObject({ text: 'Renamed batch “night” to “day”.' });
    const { stdout } = await house.run('history', '--project', 'film', '--json');
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ by: 'agent', code: 'batch.renamed' });
    const { undo } = renamed.value as { readonly undo: string };
    expect(undo).toEqual(expect.any(String));

    const opened = await agent.call('drafts_open', { projectId, source: { type: 'path', path: '/etc/passwd' } });
    expect(opened).toMatchObject({ isError: true, text: expect.stringContaining('cannot use files') as string });
    for (const name of ['agents_allow', 'settings_update', 'library_uploadFiles', 'runs_start', 'takes_emptyTrash']) {
      expect(await agent.call(name, {})).toMatchObject({ isError: true });
    }
    expect(await agent.call('batches_rename', { batchId: batch?.id })).toMatchObject({ isError: true });
    expect(commits(house)).toBe(3);
  });

  it('spends up to its cap, in a shared engine: what is above it is not sent, but waits for a person @night', async () => {
    const house = await CommandProcesses.open();
    const projectId = await projectIn(house);
    await house.serve();
    const agent = await agentIn(house, '--allow-changes', '--allow-spend', '--max-takes', '2');
    const draft = await draftOf(agent, projectId, 4);
    const { priced, done } = await agent.spend('drafts_start', draft);
    expect(priced.value).toMatchObject({ requests: 4, price: 2, currency: 'USD', cap: { takes: 2, money: null } });
    expect(done).toMatchObject({ isError: false });
    const counts = async () =>
      ((await agent.call('jobs_list', { projectId, start: 0, count: 50 })).value as { counts: object }).counts;
    await expect.poll(counts).toMatchObject({ saved: 5, unfinished: 2 });
    expect(commits(house)).toBe(5);

    // Neither the agent nor the queue lets the others go; a person does.
    const { jobs } = (await agent.call('jobs_list', { projectId, start: 0, count: 50 })).value as {
      readonly jobs: {
        readonly id: string;
        readonly paused: string | null;
        readonly failure?: { readonly message: string };
      }[];
    };
    const held = jobs.filter(({ paused }) => paused === 'user');
    expect(held).toHaveLength(2);
    expect(held[0]?.failure?.message).toContain('cap of the agent');
    const released = await agent.spend('jobs_hold', { ids: held.map(({ id }) => id), held: false });
    expect(released.priced.value).toMatchObject({ requests: 2, price: 1 });
    expect(released.done.value).toMatchObject({ result: { done: 2, refused: [] } });
    await expect
      .poll(async () => (await house.run('jobs', 'list', '--json')).stdout.match(/"paused":"user"/g)?.length)
      .toBe(2);
    expect(commits(house)).toBe(5);
    // What was confirmed once is not confirmed again.
    const { confirm } = released.priced.value as { readonly confirm: string };
    const again = { ids: held.map(({ id }) => id), held: false, confirm };
    expect(await agent.call('jobs_hold', again)).toMatchObject({ isError: true });

    // Neither does a tool send anything.
    const searched = await agent.spend('tools_search', { query: 'doors', projectId });
    expect(searched.done.value).toMatchObject({
      type: 'failed',
      failure: { code: 'agent_cap_reached', cost: 'nothing' },
    });
    const [first] = held;
    expect(await callSocket(socketIn(house.data), 'jobs/hold', { ids: [first?.id], held: false })).toMatchObject({
      status: 200,
    });
    await expect.poll(counts).toMatchObject({ saved: 6, unfinished: 1 });
    expect(commits(house)).toBe(6);
    const [, second] = held;
    expect((await house.run('jobs', 'list')).stdout).toContain('cap of the agent');
    expect(await house.run('jobs', 'retry', second?.id ?? '')).toMatchObject({ status: 0 });
    await expect.poll(counts).toMatchObject({ saved: 7, unfinished: 0 });

    // What people queued is let go as a whole, or not at all.
    await house.pause();
    const paused = house.start('run', house.list('day', 3), '--project', 'film', '--json');
    await expect.poll(counts).toMatchObject({ unfinished: 3 });
    expect(await agent.call('queue_resume')).toMatchObject({
      isError: true,
      text: expect.stringContaining('3 requests') as string,
    });
    paused.kill('SIGKILL');
    expect(commits(house)).toBe(7);

    const { stdout } = await house.run('history', '--json');
    const by = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { code: string; by: string });
    expect(by.filter(({ code }) => code === 'batch.started').map((line) => line.by)).toEqual([
      'command',
      'agent',
      'command',
    ]);
    expect(by).toContainEqual(expect.objectContaining({ code: 'history.agentAllowed', by: 'command' }));
  });

  it('keeps its cap in any engine that sends, as one of a later command, with the agent gone @night', async () => {
    const house = await CommandProcesses.open();
    const projectId = await projectIn(house);
    const agent = await agentIn(house, '--allow-changes', '--allow-spend', '--max-spend', '1');
    const { done } = await agent.spend('drafts_start', await draftOf(agent, projectId, 4));
    expect(done).toMatchObject({ isError: false });
    expect(commits(house)).toBe(3);
    await agent.client.close();
    expect(await house.run('resume', '--project', 'film')).toMatchObject({ status: 3 });
    expect(commits(house)).toBe(5);
  });

  it('needs a cap to spend, and confirms only the price that was told', async () => {
    const house = await CommandProcesses.open();
    mkdirSync(join(house.folder, 'film'), { recursive: true });
    const end = await house.run('mcp', '--allow-spend');
    expect(end).toMatchObject({ status: 2, stderr: expect.stringContaining('--max-takes') as string });
    const projectId = await projectIn(house);
    const agent = await agentIn(house, '--allow-changes', '--allow-spend', '--max-takes', '5');
    const draft = await draftOf(agent, projectId, 1);
    const { value } = await agent.call('drafts_start', draft);
    const { confirm } = value as { readonly confirm: string };
    expect(await agent.call('drafts_start', { ...draft, name: 'other', confirm })).toMatchObject({ isError: true });
    expect(await agent.call('drafts_start', { ...draft, confirm: 'guessed' })).toMatchObject({ isError: true });
    expect(commits(house)).toBe(3);
  });
});
