import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Settings } from '../../../src/contract/settings.ts';
import { noProxy } from '../../../src/engine/api/proxies.ts';
import { NightMessages } from '../../../src/host/messages/night-messages.ts';
import { NightReports } from '../../../src/host/night-reports.ts';
import { World } from '../../support/world.ts';
import { shot } from '../../engine/db/seed.ts';
import { machineWith, Receiver } from './receivers.ts';

let world: World;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await new Receiver().open();
  world = await World.open();
});
afterEach(async () => {
  await world.close();
  await receiver.close();
});

async function watched(messages: object): Promise<NightMessages> {
  const engine = await world.start();
  const settings = Settings.parse({ messages });
  const machine = machineWith({}, world.clock);
  const ways = { machine, settings: () => settings, proxyFor: noProxy, notify: null };
  const host = { dataFolder: world.dataFolder, clock: world.clock, logger: world.log };
  const night = new NightMessages({
    ...ways,
    engine,
    logger: world.log,
    reports: new NightReports({ engine, ...host }),
  });
  night.follow();
  return night;
}

/** One a message: a receiver leaves out what it has seen under the same id. */
function messagesReceived() {
  const all = receiver.received.map(({ body }) => JSON.parse(body.toString()) as { id: string; event: string });
  return [...new Map(all.map((message) => [message.id, message])).values()];
}

const eventsReceived = () => messagesReceived().map(({ event }) => event);

describe('a night with messages', () => {
  it('tells of a rejected key once, and of the end once with its counts, and shows a heartbeat until then', async () => {
    const heart = await new Receiver().open();
    const night = await watched({ webhook: { url: receiver.url }, heartbeat: { url: heart.url, minutes: 1 } });
    world.key = 'wrong';
    await world.run([shot(1), shot(2, { kind: 'image', model: 'image-demo', prompt: 'A lighthouse', params: {} })]);
    await world.pass(120_000);
    expect(eventsReceived()).toEqual(['key_rejected']);
    world.key = world.service.apiKey;
    world.engine.keyChanged();
    await world.settle();
    await world.pass(300_000);
    const beats = heart.received.length;
    expect(beats).toBeGreaterThan(0);
    await world.pass(300_000);
    expect(heart.received).toHaveLength(beats);
    await world.whilePumping(night.lookOnceMore());
    await world.whilePumping(night.stop());
    expect(eventsReceived()).toEqual(['key_rejected', 'finished']);
    expect(messagesReceived()[1]).toMatchObject({ facts: { saved: 2, failed: 0 } });
    await heart.close();
  });

  it('makes every take, each once, beside a receiver that never answers', async () => {
    receiver.answer = () => undefined;
    const night = await watched({ webhook: { url: receiver.url }, heartbeat: { url: receiver.url, minutes: 1 } });
    world.key = 'wrong';
    await world.run([shot(1)]);
    await world.pass(60_000);
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    world.key = world.service.apiKey;
    world.engine.keyChanged();
    await world.run(Array.from({ length: 20 }, (_, index) => shot(index + 1)));
    expect(world.counts()).toMatchObject({ saved: 20, unfinished: 0, unknown: 0 });
    expect(new Set(world.posts().map(({ body }) => (body as { prompt: string }).prompt)).size).toBe(20);
    await world.whilePumping(night.lookOnceMore());
    await world.whilePumping(night.stop());
  });
});
