import { beforeEach, describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../src/contract/events.ts';
import type { NightWindow } from '../../src/contract/night-window.ts';
import { Settings } from '../../src/contract/settings.ts';
import type { RunProgressEvent } from '../../src/contract/run.ts';
import { EventBuffer } from '../../src/server/change-feed.ts';
import { aJob } from '../cli/support.ts';
import { images, Served, type Api } from './support.ts';

describe('a run that is followed', () => {
  let served: Served;
  let api: Api;

  beforeEach(async () => {
    served = await Served.open();
    api = served.inProcess();
    return () => served.close();
  });

  /** All messages until the end; `when` is called once the takes have arrived. */
  const heardOf = async (
    scope: Parameters<Api['runs']['follow']>[0],
    when: () => unknown,
  ): Promise<RunProgressEvent[]> => {
    const messages: RunProgressEvent[] = [];
    for await (const message of await api.runs.follow(scope)) {
      messages.push(message);
      if (message.type === 'takes' && message.last) await when();
    }
    return messages;
  };
  const jobsIn = (messages: readonly RunProgressEvent[]) =>
    messages
      .flatMap((message) => (message.type === 'events' ? message.events : []))
      .flatMap((event) => (event.type === 'job' ? [event.job] : []));

  it('is told of its many takes in parts, and of many changes at once as of single ones @night', async () => {
    await served.world.import(images(600));
    const [project] = served.world.engine.stores.projects.list();
    const messages = await heardOf({ projectId: project?.id ?? '' }, () =>
      served.world.import(images(600, { prompt: 'Another still' })),
    );
    const takes = messages.filter((message) => message.type === 'takes');
    expect(takes.map((message) => [message.takes.length, message.last])).toEqual([
      [500, false],
      [100, true],
    ]);
    // The takes of what each shot was before were not sent yet, and are not any more.
    const cancelled = jobsIn(messages).filter(({ state }) => state === 'cancelled');
    expect(new Set(cancelled.map(({ id }) => id)).size).toBe(600);
    expect(messages.at(-1)).toEqual({ type: 'ended', end: { is: 'over' } });
  });

  it('ends when the rest of it is held, and reports nothing of other batches', async () => {
    await served.world.import(images(2), { name: 'Day 1' });
    await served.world.import(images(2), { name: 'Day 2' });
    const { jobs } = await api.jobs.list({ start: 0, count: 10 });
    const ours = jobs.filter(({ batch }) => batch === 'Day 1');
    const messages = await heardOf({ batchId: ours[0]?.batchId ?? '' }, () =>
      api.jobs.hold({ ids: jobs.map(({ id }) => id), held: true }),
    );
    expect(new Set(jobsIn(messages).map(({ id }) => id))).toEqual(new Set(ours.map(({ id }) => id)));
    expect(messages.at(-1)).toEqual({ type: 'ended', end: { is: 'over' } });
  });

  it('ends with the reason when the queue stops itself', async () => {
    served.world.key = null;
    await served.world.import(images(2));
    const messages = await heardOf({}, () => void served.world.settle());
    expect(messages.at(-1)).toMatchObject({ type: 'ended', end: { is: 'halted', gate: { reason: 'key_missing' } } });
  });

  it('ends with an empty account once what was sent before is saved', async () => {
    const fault = { fault: 'status', status: 402 } as const;
    served.world.fault({ method: 'POST', nth: 2, times: 'always' }, fault);
    await served.world.import(images(3));
    const messages = await heardOf({}, () => void served.world.settle());
    expect(messages.at(-1)).toMatchObject({ type: 'ended', end: { is: 'halted', gate: { reason: 'no_credit' } } });
    expect(served.world.counts()).toMatchObject({ saved: 1, unfinished: 2, failed: 0 });
  });

  it('ends when its night window closes, once what was sent before is saved', async () => {
    const { engine } = served.world;
    engine.updateSettings(Settings.parse({ baseUrl: served.world.service.url, maxRate: { submit: 0.05 } }));
    const window: NightWindow = { days: ['mon'], opens: '19:00', closes: '20:01', timeZone: 'UTC' };
    await served.world.import(images(9), { window });
    const messages = await heardOf({}, () => void served.world.settle());
    expect(messages.at(-1)).toMatchObject({
      end: { is: 'awaiting_window', gate: { reason: 'window_closed', window: { window } } },
    });
    const { saved, unfinished } = served.world.counts();
    expect([saved, saved + unfinished]).toEqual([served.world.posts().length, 9]);
    expect(unfinished).toBeGreaterThan(0);
  });

  it('on the demo service goes on although the service of the settings has no key', async () => {
    served.world.key = null;
    const { project } = await api.projects.sample();
    await served.world.import(images(1));
    const messages = await heardOf({ projectId: project.id }, () => void served.world.settle());
    expect(messages.at(-1)).toEqual({ type: 'ended', end: { is: 'over' } });
    expect(jobsIn(messages).at(-1)).toMatchObject({ state: 'saved' });
  });
});

it('a listener that is slow gets the last state of each job, each once', () => {
  let tell: (event: EngineEvent) => void = () => undefined;
  const heard = new EventBuffer({ subscribe: (listener) => ((tell = listener), () => undefined) }, []);
  for (let round = 0; round < 4000; round += 1) {
    for (const id of ['a', 'b']) tell({ type: 'job', job: { ...aJob, id, updatedAt: round } });
  }
  const events = heard.take();
  expect(events.length).toBeLessThanOrEqual(5000);
  const last = events.slice(-2).map((event) => (event.type === 'job' ? [event.job.id, event.job.updatedAt] : []));
  expect(last).toEqual([
    ['a', 3999],
    ['b', 3999],
  ]);
  expect(heard.take()).toEqual([]);
  heard.end();
});
