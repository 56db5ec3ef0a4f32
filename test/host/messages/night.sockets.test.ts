import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NightWindow, parseDays, parseHours } from '../../../src/contract/night-window.ts';
import { Settings } from '../../../src/contract/settings.ts';
import { directly } from '../../../src/engine/api/proxies.ts';
import { NightMessages } from '../../../src/host/messages/night-messages.ts';
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
  const ways = { machine, settings: () => settings, routesTo: directly, notify: null };
  const night = new NightMessages({ ...ways, engine, dataFolder: world.dataFolder, logger: world.log });
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

  it('is over when its window closes: the report is there, and the messages say what is left', async () => {
    await world.close();
    // It is eight in the evening, and one take is sent every twenty seconds.
    world = await World.open({ service: { speed: { videoMs: 90_000 } }, settings: { maxRate: { submit: 0.05 } } });
    const night = await watched({ webhook: { url: receiver.url } });
    const window = NightWindow.parse({ ...parseHours('19:00-20:01'), days: parseDays('mon-sun'), timeZone: 'UTC' });
    await world.import(
      Array.from({ length: 9 }, (_, index) => shot(index + 1)),
      { window },
    );
    world.engine.queue.run({});
    await world.pass(20 * 60_000);
    await world.whilePumping(night.lookOnceMore());
    const { saved, unfinished } = world.counts();
    expect(saved + unfinished).toBe(9);
    expect(saved).toBeGreaterThan(0);
    expect(unfinished).toBeGreaterThan(0);
    expect(messagesReceived()).toMatchObject([{ event: 'finished', facts: { saved, unfinished } }]);
    expect(await world.engine.nights.unseen()).toMatchObject([{ report: { takes: { saved, unfinished } } }]);
    await world.pass(3 * 3_600_000);
    await world.whilePumping(night.lookOnceMore());
    expect(eventsReceived()).toEqual(['finished']);
    await world.whilePumping(night.stop());
  });

  it('makes every take, each once, beside a receiver that never answers @night', async () => {
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
