import { afterEach, describe, expect, it } from 'vitest';
import { startDemoService, type DemoService } from '../../src/demo/service.ts';
import { Settings } from '../../src/contract/settings.ts';
import { openSample, type Services } from '../../src/server/services.ts';
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
    await served.world.until(
      'the sample',
      () => served.world.engine.stores.tally.counts({ projectId: id }).saved === 2,
    );
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
    expect(await served.world.settle()).toEqual({ is: 'over' });
    expect(served.world.counts()).toMatchObject({ saved: 2, unfinished: 2 });
    served.world.engine.useService('demo', { baseUrl: practice?.url ?? '', apiKey: 'practice-key' });
    await served.world.settle();
    expect(served.world.counts()).toMatchObject({ saved: 4, unfinished: 0 });
  });
});

describe('the sample project, once there are prices,', () => {
  const twoEach = { currency: 'USD', prices: [{ model: '*', per: 'take' as const, price: 2 }] };
  const nothing = { price: 0, unpriced: 0 };

  it('is free, and in no sum or average of what is paid', async () => {
    served = await Served.open({ settings: twoEach });
    const { world } = served;
    const api = served.inProcess();
    const sample = (await openSample(await withPractice())).id;
    await served.saveImages(2);
    const film = world.engine.stores.projects.list().find(({ id }) => id !== sample)?.id;
    expect(world.engine.stores.tally.counts({ projectId: sample })).toMatchObject({ saved: 2 });

    const [paid, free] = [
      { requests: 2, price: 4, unpriced: 0 },
      { requests: 2, ...nothing },
    ];
    expect(await api.spending.totals({})).toMatchObject({ settled: paid });
    expect(await api.spending.totals({ projectId: sample })).toMatchObject({ settled: free });
    expect(await api.spending.by({ by: 'project' })).toMatchObject([{ name: film, totals: { settled: paid } }]);
    expect(await api.takes.spent({ projectId: sample })).toMatchObject({ charged: free });
    expect([...world.engine.stores.ledger.lines({})]).toHaveLength(2);
    const statistics = await api.spending.statistics({ period: 'day' });
    expect(statistics.all).toMatchObject({ requests: 2, saved: 2, charged: 4 });

    const night = { since: (await api.spending.night()).from, until: Number.MAX_SAFE_INTEGER };
    const all = await world.engine.nights.report(night);
    expect(all).toMatchObject({ takes: { saved: 2 }, requests: { sent: 2 }, spend: { totals: { settled: paid } } });
    expect(all.spend.estimate).toEqual({ price: 4, unpriced: 0 });
    const ofSample = await world.engine.nights.report({ ...night, projectId: sample });
    expect(ofSample).toMatchObject({ takes: { saved: 2 }, spend: { estimate: nothing, totals: { settled: free } } });
  });

  it('costs nothing wherever a price is shown before something is sent', async () => {
    served = await Served.open({ settings: twoEach });
    const { world } = served;
    const api = served.inProcess();
    const projectId = (await openSample(await withPractice())).id;
    await world.settle();
    const [take] = world.jobs();
    const cells = { kind: 'image', model: 'image-demo', prompt: 'A harbour' };
    expect(await api.takes.estimate({ takeId: take?.id ?? '' })).toMatchObject(nothing);
    expect(await api.drafts.estimate({ projectId, cells })).toMatchObject(nothing);
    expect(await api.tools.price({ model: 'chat-demo', calls: 3, projectId })).toEqual({ price: 0, currency: 'USD' });
    const csv = 'shot,kind,model,prompt\n030,image,image-demo,A quay\n';
    const draft = await api.drafts.open({ projectId, source: { type: 'text', name: 'more.csv', text: csv } });
    expect(await api.drafts.plan({ draftId: draft.id, name: 'more', again: false })).toMatchObject({
      newTakes: 1,
      ...nothing,
    });
  });

  it('goes on when what is paid for has reached the cap of the night, and does not count against it', async () => {
    served = await Served.open({ settings: twoEach });
    const { engine } = served.world;
    await engine.commands.run('spending.changeCap', { scope: { scope: 'night' }, change: { money: 5 } }, 'window');
    expect(await served.world.run(images(4))).toMatchObject({ gate: { reason: 'cap_reached' } });
    const { id } = await openSample(await withPractice());
    engine.queue.run({});
    await served.world.until('the sample', () => engine.stores.tally.counts({ projectId: id }).saved === 2);
    expect(engine.spending.caps()).toMatchObject([{ spent: { money: 4, takes: 2, unpriced: 0 } }]);
    expect(served.world.counts()).toMatchObject({ saved: 4, unfinished: 2 });
    for (const { id: waiting } of engine.stores.queries.list({})) engine.jobs.cancel(waiting);
    engine.queue.pause();
    const [take] = engine.stores.queries.list({ projectId: id });
    await engine.review.another({ takeId: take?.id ?? '', changes: { cells: {} } });
    // Of the sample alone something is left, which no cap of the night holds.
    expect(engine.queue.status().gates).toMatchObject([{ reason: 'paused_by_user' }]);
  });

  it('takes a cap in money without a price for its models, and is never held back by it', async () => {
    served = await Served.open();
    const { engine } = served.world;
    const services = await withPractice();
    engine.queue.pause();
    const { id: projectId } = await openSample(services);
    await engine.commands.run(
      'spending.changeCap',
      { scope: { scope: 'project', projectId }, change: { money: 0 } },
      'window',
    );
    engine.queue.resume();
    await served.world.settle();
    expect(engine.stores.tally.counts({ projectId })).toMatchObject({ saved: 2 });
  });

  it('takes the price off what was counted before it was known to be the sample', async () => {
    served = await Served.open({ settings: twoEach });
    const { engine } = served.world;
    const projectId = await served.saveImages(2);
    const priceOf = () => engine.stores.ledger.totals({ projectId }).settled.price;
    expect(priceOf()).toBe(4);
    engine.projects.putOnService(projectId, 'demo');
    await served.world.until('the new prices', () => priceOf() === 0);
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
