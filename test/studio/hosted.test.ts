import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRouterClient } from '@orpc/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JobView } from '../../src/contract/job.ts';
import { Settings } from '../../src/contract/settings.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { freeBytes } from '../../src/engine/files/existing-paths.ts';
import { createHostedStudio } from '../../src/host/studio.ts';
import type { Environment } from '../../src/host/process-environment.ts';
import { createRouter } from '../../src/server/router/router.ts';
import type { Services } from '../../src/server/services.ts';
import { FakeKeychain } from '../cli/support.ts';
import { MemoryLog } from '../support/memory-log.ts';
import { hasPostgres } from '../support/studio.ts';
import { putEmptyDatabase } from '../support/world.ts';
import { machineClock } from './machine.ts';
import { closableWay, openShared, type Shared, withoutLimits } from './machines.ts';

const fastClock = machineClock(Date.now());

/** A computer with a window: its engine, and what its window calls. */
async function computerIn({ folder, service }: Shared, name = 'computer', keychain = new FakeKeychain()) {
  const dataFolder = join(folder, name);
  const logger = new MemoryLog();
  putEmptyDatabase(dataFolder);
  const start = async () => {
    const settings = Settings.parse({ baseUrl: service.url });
    const engine = await startEngine({
      ...{ dataFolder, machine: name, settings, command: 'test' },
      ports: {
        ...{ clock: fastClock, logger, secrets: { apiKey: () => service.apiKey }, random: Math.random },
        disk: { freeBytes },
      },
    });
    const machine = { env: {}, keychain: () => Promise.resolve(keychain) } as unknown as Environment;
    const hosted = createHostedStudio(machine, dataFolder, {
      ...{ engine, settings: () => settings, clock: fastClock, logger },
    });
    engine.queue.run({});
    hosted.begin();
    const services = {
      ...{ engine, studio: hosted.service, caller: 'window', stopping: new AbortController().signal },
      settings: { get: () => settings },
      host: { dataFolder, clock: fastClock, logger },
    } as unknown as Services;
    const api = createRouterClient(createRouter(services));
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (isStopped) return;
      isStopped = true;
      await hosted.stop();
      await engine.stop();
    };
    onTestFinished(stop);
    return { api, engine, stop };
  };
  return { dataFolder, start };
}

type Api = Awaited<ReturnType<Awaited<ReturnType<typeof computerIn>>['start']>>['api'];

const stateOf = async (api: Api) => (await api.studio.get()).studio?.state;
const takesOf = async (api: Api): Promise<readonly JobView[]> => (await api.jobs.list({ start: 0, count: 10 })).jobs;
const placesOf = async (api: Api) => (await takesOf(api)).map(({ state, worker }) => `${state} ${worker ?? 'here'}`);

async function joinAs(api: Api, { studio, nas }: Shared, who: { person: string; machine: string }): Promise<void> {
  const address = studio.addressFor(who.person.toLowerCase()).text;
  await api.studio.join({ address, password: '', ...who });
  await expect.poll(() => stateOf(api)).toBe('connected');
  await api.studio.change({ roots: { nas } });
}

async function startInStudio(api: Api, film: string, name = 'Night', shots = ['001', '002']): Promise<void> {
  const { project } = await api.projects.open({ path: film });
  const rows = shots.map((shot) => `${shot},video,vgen-2.0-cl-fast,a fox ${shot}\n`);
  const text = `key,kind,model,prompt\n${rows.join('')}`;
  const draft = await api.drafts.open({ projectId: project.id, source: { type: 'text', name: `${name}.csv`, text } });
  await api.drafts.start({ draftId: draft.id, name, again: false, cap: { takes: 5 }, studio: true });
}

describe.runIf(hasPostgres)('the studio of a window’s engine', () => {
  it('is joined with a password that only the keychain gets, and its takes are made by another machine', async () => {
    const shared = await openShared();
    const keychain = new FakeKeychain();
    const { dataFolder, start } = await computerIn(shared, 'computer', keychain);
    const { api, engine } = await start();
    const address = shared.studio.addressFor('anna').text;
    const who = { person: 'Anna', machine: 'desk' };
    expect((await api.studio.get()).studio).toBeNull();
    await expect(startInStudio(api, shared.film)).rejects.toMatchObject({ data: { code: 'studio_not_joined' } });
    const withPassword = address.replace('anna@', 'anna:geheim@');
    await expect(api.studio.join({ address: withPassword, password: '', ...who })).rejects.toMatchObject({
      data: { code: 'studio_password' },
    });
    await expect(api.studio.join({ address: 'https://host', password: '', ...who })).rejects.toMatchObject({
      data: { code: 'studio_address' },
    });
    await api.studio.join({ address, password: 'geheim', ...who });
    expect(keychain.secret).toContain('geheim');
    expect(readFileSync(join(dataFolder, 'studio.json'), 'utf8')).not.toContain('geheim');
    await expect.poll(() => stateOf(api)).toBe('connected');

    await expect(startInStudio(api, shared.film)).rejects.toMatchObject({ data: { code: 'studio_no_root' } });
    await api.studio.change({ roots: { nas: shared.nas } });
    await startInStudio(api, shared.film);
    expect(await placesOf(api)).toEqual(['ready ', 'ready ']);
    const { studio } = await api.studio.get();
    expect(studio?.members).toMatchObject({
      machines: [{ name: 'desk', person: 'Anna' }],
      people: [{ name: 'Anna', waiting: 2 }],
      accounts: [{ name: 'main' }],
      budgets: [{ scope: 'batch', limit: { takes: 5, micros: null }, used: { takes: 0 } }],
    });

    const { start: startFarm } = await computerIn(shared, 'farm');
    const farm = await startFarm();
    await withoutLimits(shared, farm);
    await joinAs(farm.api, shared, { person: 'Ben', machine: 'farm' });
    await farm.api.studio.change({ works: true });
    await expect.poll(() => placesOf(api)).toEqual(['saved farm', 'saved farm']);
    expect([...shared.posts().values()]).toEqual([1, 1]);
    expect(engine.stores.jobs.studio.here()).toEqual([]);

    await api.studio.leave();
    expect((await api.studio.get()).studio).toBeNull();
    expect(engine.studio.desk).toBeNull();
  });

  it('works when a person says so, and again after a restart', async () => {
    const shared = await openShared();
    const { start } = await computerIn(shared);
    const first = await start();
    await joinAs(first.api, shared, { person: 'Anna', machine: 'desk' });
    await startInStudio(first.api, shared.film);
    await first.api.jobs.hold({ held: true, ids: (await takesOf(first.api)).map(({ id }) => id) });
    const held = `SELECT count(*)::int AS held FROM dailies.takes WHERE is_on_hold`;
    await expect.poll(async () => (await shared.studio.query(held))[0]).toEqual({ held: 2 });
    await first.api.jobs.retry({ ids: (await takesOf(first.api)).map(({ id }) => id) });
    await expect.poll(async () => (await shared.studio.query(held))[0]).toEqual({ held: 0 });
    await withoutLimits(shared, first);
    await first.api.studio.change({ works: true });
    await expect.poll(() => placesOf(first.api)).toEqual(['saved desk', 'saved desk']);
    await first.stop();

    const second = await start();
    await expect.poll(() => stateOf(second.api)).toBe('connected');
    await startInStudio(second.api, shared.film, 'Day', ['003']);
    await expect.poll(() => placesOf(second.api)).toContain('saved desk');
    await expect.poll(async () => (await takesOf(second.api)).every(({ state }) => state === 'saved')).toBe(true);
  });

  it('is away, and comes back by itself; its admin declares a machine dead, and nobody else may', async () => {
    const shared = await openShared();
    const way = await closableWay(shared);
    const { start } = await computerIn(shared);
    const { api } = await start();
    // Trusted, as on the socket: the server behind the way is the socket.
    await api.studio.join({ address: way.address.text, password: '', person: 'Anna', machine: 'desk' });
    await expect.poll(() => stateOf(api)).toBe('connected');
    way.setOpen(false);
    await expect.poll(() => stateOf(api)).toBe('away');
    way.setOpen(true);
    await expect.poll(() => stateOf(api)).toBe('connected');

    await shared.studio.machine('ben', 'gone');
    const limit = { takes: 3, micros: null };
    for (const call of [
      () => api.studio.declareDead({ machine: 'gone' }),
      () => api.studio.setBudget({ scope: { scope: 'night' }, limit }),
      () => api.studio.reconcile(),
    ])
      await expect(call()).rejects.toMatchObject({ data: { code: 'studio_rights' } });
    const { start: startAdmin } = await computerIn(shared, 'office');
    const admin = await startAdmin();
    const address = shared.studio.addressFor('postgres').text;
    await admin.api.studio.join({ address, password: '', person: 'Olga', machine: 'office' });
    await expect.poll(() => stateOf(admin.api)).toBe('connected');
    await admin.api.studio.setBudget({ scope: { scope: 'night' }, limit });
    expect(await admin.api.studio.declareDead({ machine: 'gone' })).toEqual({ returned: 0, unclear: 0, adoptable: 0 });
    const { studio } = await admin.api.studio.get();
    expect(studio).toMatchObject({ isAdmin: true, members: { budgets: [{ scope: 'night', limit }] } });
    expect(studio?.members?.machines.find(({ name }) => name === 'gone')?.isFenced).toBe(true);

    await admin.api.studio.declareDead({ machine: 'desk' });
    await expect.poll(() => stateOf(api)).toBe('fenced');
    await api.studio.join({ address: way.address.text, password: '', person: 'Anna', machine: 'desk' });
    await expect.poll(() => stateOf(api)).toBe('connected');
  });

  it('cannot be joined where the system has no keychain for its password', async () => {
    const shared = await openShared();
    const { start } = await computerIn(shared, 'computer', new FakeKeychain(false));
    mkdirSync(shared.film, { recursive: true });
    const { api } = await start();
    const address = shared.studio.addressFor('anna').text;
    await expect(
      api.studio.join({ address, password: 'geheim', person: 'Anna', machine: 'desk' }),
    ).rejects.toMatchObject({ data: { code: 'studio_password_not_kept' } });
    expect((await api.studio.get()).studio).toBeNull();
  });
});
