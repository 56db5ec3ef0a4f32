import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';

let world: World;
forEachTest((opened) => (world = opened));

const place = (projectId: string) => ({ projectId, studio: 'studio-1', root: 'nas', path: 'film' });

it('sends nothing of a studio’s project while it has not joined the studio, and says so', async () => {
  await world.import([shot(1)]);
  world.engine.stores.jobs.studio.join(place(world.projectId));
  world.engine.queue.run({});
  await world.pass(120_000);
  expect(world.posts()).toEqual([]);
  const { gates } = world.engine.queue.status();
  expect(gates).toMatchObject([{ reason: 'studio', message: { key: 'waiting.studioNotJoined' } }]);
});

it('follows and saves what it had sent before the project became one of a studio', async () => {
  await world.begin([shot(1)]);
  await world.until('a task', () => world.job('0001').state === 'polling');
  world.engine.stores.jobs.studio.join(place(world.projectId));
  await world.until('the file', () => world.job('0001').state === 'saved');
  expect(world.posts()).toHaveLength(1);
});

it('leaves a project alone that the machines of a studio work in', async () => {
  await world.import([shot(1)]);
  const { projectId } = world;
  world.engine.stores.jobs.studio.join(place(projectId));
  await world.engine.studio.claim(projectId);
  await world.stop();
  world.dataFolder = join(world.folder, 'other');
  await expect(world.openProject()).rejects.toMatchObject({ code: 'project_in_use' });
});

it('asks for the right to send between the recipe and the intent, and sends nothing where it is refused', async () => {
  await world.import([shot(1)]);
  const seen: string[] = [];
  const { jobs } = world.engine.stores;
  world.engine.studio.join({
    sendRight(job, { attempt }) {
      seen.push(`${world.recipe().state} ${String(jobs.attempts.knows(job.id, attempt.id))}`);
      const isGranted = seen.length > 1;
      if (!isGranted)
        return { answer: 'wait', until: world.clock.now() + 5000, message: { key: 'waiting.studioRate' } };
      return Promise.resolve({
        answer: 'granted',
        isFresh: () => seen.length > 2,
        giveBack: () => seen.push('unused'),
      });
    },
    isOurs: () => true,
    isWriter: () => true,
    holds: {},
    command: () => false,
  });
  await world.comesTo({ saved: 1, posts: 1 });
  // Not now; then too old right before the POST; then sent.
  expect(seen).toEqual(['submitting false', 'submitting false', 'submitting false']);
  expect(world.journal(world.job('0001').id).map(({ outcome }) => outcome)).toEqual(['not_accepted', 'accepted']);
});
