import { afterEach, describe, expect, it } from 'vitest';
import { startDemoService, type DemoService } from '../../src/demo/service.ts';
import { Settings } from '../../src/contract/settings.ts';
import { openSample } from '../../src/server/sample-project.ts';
import type { Services } from '../../src/server/services.ts';
import { images, Served } from './support.ts';

let served: Served;
let practice: DemoService | null = null;

afterEach(async () => {
  await served.close();
  await practice?.stop();
  practice = null;
});

/** The sample project on a demo service of its own, beside the service of the settings. */
async function withPractice(): Promise<Services> {
  practice = await startDemoService({ clock: served.world.clock, media: 'tiny', apiKey: 'practice-key' });
  const { url: baseUrl, apiKey } = practice;
  const { host } = served.services;
  const sample = async () => ({ ...(await host.sample()), service: { baseUrl, apiKey } });
  return { ...served.services, host: { ...host, sample } };
}

const shotsReceived = (service: DemoService | null) => service?.ledger.posts().length ?? 0;

describe('the sample project', () => {
  it('runs on the demo service in one call, with no key and no address set', async () => {
    served = await Served.open({ key: null, settings: { baseUrl: '' } });
    const services = await withPractice();
    const project = await openSample(services);
    await served.world.settle();
    expect(await served.world.engine.views.project(project.id)).toMatchObject({ isSample: true, counts: { saved: 2 } });
    expect(shotsReceived(practice)).toBe(2);
    expect(served.world.service.ledger.received).toBe(0);
  });

  it('is made once, however often it is asked for', async () => {
    served = await Served.open({ key: null });
    const services = await withPractice();
    const first = await openSample(services);
    const second = await openSample(services);
    await served.world.settle();
    expect(second.id).toBe(first.id);
    expect(shotsReceived(practice)).toBe(2);
  });

  it('and a project of one’s own are sent each to their service, with its key alone', async () => {
    served = await Served.open({ key: 'demo-key' });
    const services = await withPractice();
    await openSample(services);
    await served.world.import(images(3));
    await served.world.settle();
    const wrongKeysAt = (service: DemoService | null) =>
      service?.ledger.entries.filter(({ hasAuthorization, authorized }) => hasAuthorization && !authorized);
    expect([shotsReceived(practice), shotsReceived(served.world.service)]).toEqual([2, 3]);
    expect(served.world.counts()).toMatchObject({ saved: 5 });
    expect([wrongKeysAt(practice), wrongKeysAt(served.world.service)]).toEqual([[], []]);
  });

  it('goes on while the key of the settings is refused, and holds nothing back while its own service is away', async () => {
    served = await Served.open({ key: 'wrong-key' });
    const services = await withPractice();
    await served.world.import(images(1));
    served.world.engine.queue.run({});
    await served.world.until('the refusal', () => served.world.engine.queue.status().gates.length > 0);
    const { id } = await openSample(services);
    await served.world.until('the sample', () => served.world.engine.jobs.counts({ projectId: id }).saved === 2);
    expect(served.world.engine.queue.status().gates).toMatchObject([{ reason: 'key_refused' }]);
  });

  it('waits, and nothing else does, while its service is not known', async () => {
    served = await Served.open({ key: 'demo-key' });
    const services = await withPractice();
    served.world.engine.queue.pause();
    await openSample(services);
    await served.world.restart();
    served.world.engine.queue.resume();
    await served.world.import(images(2));
    expect(await served.world.settle()).toEqual({ type: 'done' });
    expect(served.world.counts()).toMatchObject({ saved: 2, unfinished: 2 });
    served.world.engine.useService('demo', { baseUrl: practice?.url ?? '', apiKey: 'practice-key' });
    await served.world.settle();
    expect(served.world.counts()).toMatchObject({ saved: 4, unfinished: 0 });
  });
});

describe('settings that are changed while the queue works', () => {
  it('hold from the next request on: a new address, and a new key', async () => {
    served = await Served.open({ key: 'wrong-key' });
    const { world } = served;
    practice = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: 'right-key' });
    await world.import(images(2));
    world.engine.queue.run({});
    await world.until('the refusal', () => world.engine.queue.status().gates.length > 0);
    world.engine.updateSettings(Settings.parse({ baseUrl: practice.url }));
    world.key = 'right-key';
    world.engine.keyChanged();
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 2 });
    expect(shotsReceived(practice)).toBe(2);
  });

  it('never let a kept key go to an address a task was not accepted at', async () => {
    served = await Served.open();
    const { world } = served;
    await world.import(images(1, { kind: 'video', model: 'vgen-2.0-nt', params: { duration: 5 } }));
    world.engine.queue.run({});
    await world.until('the task', () => world.jobs().some(({ taskId }) => taskId !== undefined));
    practice = await startDemoService({ clock: world.clock, media: 'tiny', apiKey: 'other-key' });
    world.engine.updateSettings(Settings.parse({ baseUrl: practice.url }));
    await world.settle();
    expect(world.counts()).toMatchObject({ saved: 1 });
    expect(practice.ledger.received).toBe(0);
  });
});
