import { describe, expect, it } from 'vitest';
import type { Changes, EngineEvent } from '../../src/contract/events.ts';
import type { JobView } from '../../src/contract/job.ts';
import type { GivenVerdict } from '../../src/contract/review.ts';
import { ChangeFeed } from '../../src/server/change-feed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { whenIdle } from '../support/idle.ts';

/** An engine that says what a test makes it say. */
class Source {
  readonly listeners = new Set<(event: EngineEvent) => void>();
  subscribe = (listener: (event: EngineEvent) => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  tell(event: EngineEvent): void {
    for (const listener of this.listeners) listener(event);
  }
  verdict(takeId: string, change: Partial<GivenVerdict>): void {
    const verdict = { rating: 0, flag: null, note: '' };
    this.tell({ type: 'verdicts', verdicts: [{ projectId: 'film', takeId, verdict, changed: [], by: '', ...change }] });
  }
  job(id: string, updatedAt = 0): void {
    this.tell({ type: 'job', job: { id, projectId: 'film', updatedAt } as JobView });
  }
}

function listening(signal?: AbortSignal) {
  const source = new Source();
  const clock = new FakeClock();
  return { source, clock, feed: new ChangeFeed(source, clock, [signal]) };
}

const next = async (feed: ChangeFeed): Promise<Changes> => {
  const { value, done } = await feed.next();
  if (done) throw new Error('the feed has ended');
  return value;
};

describe('a feed of changes', () => {
  it('begins with a resync, whatever happened before the first read', async () => {
    const { source, feed } = listening();
    for (let number = 0; number < 2000; number += 1) source.job(String(number));
    expect(await next(feed)).toMatchObject({ resync: true, jobs: [] });
  });

  it('gathers what happens, each job once and as it is last', async () => {
    const { source, clock, feed } = listening();
    await next(feed);
    clock.advance(1000);
    source.job('a', 1);
    source.job('b', 1);
    source.job('a', 2);
    source.tell({ type: 'project', projectId: 'album' });
    source.tell({ type: 'library' });
    const changes = await next(feed);
    expect(changes.jobs).toMatchObject([
      { id: 'a', updatedAt: 2 },
      { id: 'b', updatedAt: 1 },
    ]);
    expect(changes).toMatchObject({ resync: false, projects: ['film', 'album'], library: true, queue: null });
    expect(changes.settings).toBe(false);
  });

  it('gathers verdicts, each take once with all that changed, and no project for them', async () => {
    const { source, clock, feed } = listening();
    source.verdict('early', { changed: ['rating'] });
    expect(await next(feed)).toMatchObject({ resync: true, verdicts: [] });
    const picked = { rating: 0, flag: 'pick', note: '' } as const;
    source.verdict('a', { changed: ['rating'], by: 'one' });
    source.verdict('a', { verdict: picked, changed: ['flag'], by: 'other' });
    clock.advance(1000);
    const { verdicts, projects } = await next(feed);
    expect(verdicts).toMatchObject([{ takeId: 'a', verdict: picked, changed: ['rating', 'flag'], by: 'other' }]);
    expect(projects).toEqual([]);
  });

  it('names the batches and lists that changed', async () => {
    const { source, clock, feed } = listening();
    await next(feed);
    source.tell({ type: 'batches', projectId: 'film' });
    for (let edits = 0; edits < 3; edits += 1) source.tell({ type: 'draft', projectId: 'reel', draftId: 'list' });
    clock.advance(1000);
    const drafts = [{ projectId: 'reel', draftId: 'list' }];
    expect(await next(feed)).toMatchObject({ projects: ['film'], batches: ['film'], drafts });
    source.tell({ type: 'library' });
    clock.advance(1000);
    expect(await next(feed)).toMatchObject({ projects: [], batches: [], drafts: [] });
  });

  it('tells that settings were changed, and once', async () => {
    const { source, clock, feed } = listening();
    await next(feed);
    source.tell({ type: 'settings' });
    clock.advance(1000);
    expect(await next(feed)).toMatchObject({ settings: true, resync: false });
    source.tell({ type: 'library' });
    clock.advance(1000);
    expect(await next(feed)).toMatchObject({ settings: false });
  });

  it('says to read everything again when the engine had too many changes', async () => {
    const { source, clock, feed } = listening();
    await next(feed);
    clock.advance(1000);
    source.job('a');
    source.tell({ type: 'many' });
    source.job('b');
    expect(await next(feed)).toMatchObject({ resync: true, jobs: [], projects: ['film'] });
  });

  it('says nothing while nothing happens', async () => {
    const { clock, feed } = listening();
    await next(feed);
    let told = false;
    void next(feed).then(() => (told = true));
    clock.advance(60_000);
    await whenIdle();
    expect(told).toBe(false);
  });

  it('sends four messages a second at most, while a thousand jobs change in each', async () => {
    const { source, clock, feed } = listening();
    const messages: Changes[] = [];
    const reading = (async () => {
      for await (const changes of feed) messages.push(changes);
    })();
    for (let tick = 0; tick < 1000; tick += 1) {
      source.job(`job ${tick % 400}`, tick);
      clock.advance(1);
      // The listener reads as fast as it is let.
      if (tick % 10 === 0) await whenIdle();
    }
    await feed.return();
    await reading;
    expect(messages.length).toBeGreaterThanOrEqual(3);
    expect(messages.length).toBeLessThanOrEqual(5);
    expect(messages.slice(1).every(({ resync, jobs }) => !resync && jobs.length > 0 && jobs.length <= 400)).toBe(true);
  });

  it('asks to read everything again when too much changed, and keeps no more than that', async () => {
    const { source, clock, feed } = listening();
    await next(feed);
    clock.advance(1000);
    for (let number = 0; number < 100_000; number += 1) source.job(String(number));
    expect(await next(feed)).toMatchObject({ resync: true, jobs: [] });
    clock.advance(1000);
    source.job('one');
    expect(await next(feed)).toMatchObject({ resync: false, jobs: [{ id: 'one' }] });
  });

  it('ends when its listener goes, also while it waits, and listens no more', async () => {
    const gone = new AbortController();
    const { source, feed } = listening(gone.signal);
    await next(feed);
    const waiting = feed.next();
    gone.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(source.listeners.size).toBe(0);
  });

  it('ends at once for a listener that is gone already', async () => {
    const { source, feed } = listening(AbortSignal.abort());
    expect(await feed.next()).toEqual({ done: true, value: undefined });
    expect(source.listeners.size).toBe(0);
  });
});
