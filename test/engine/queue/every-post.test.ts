import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  aPicture,
  billablePosts,
  badAnswersOf,
  PICTURE_NAME,
  type BillablePost,
} from '../../support/billable-posts.ts';
import { isNightly } from '../../support/chance.ts';
import { forEachTest, World } from '../../support/world.ts';

const HOUR = 3_600_000;

let world: World;
forEachTest((opened) => (world = opened));

async function openFor({ settings, before }: BillablePost): Promise<void> {
  world = await World.open({ settings: { submitTimeoutSeconds: 60, answerTimeoutSeconds: 60, ...settings } });
  writeFileSync(join(world.folder, PICTURE_NAME), aPicture);
  before?.(world.service);
}

/** Uploads are not billed. */
const UPLOADS = '/v1/assets/uploads';
const billable = { method: 'POST', path: /^(?!\/v1\/assets\/uploads$)/, times: 'always' } as const;
const posts = () => world.posts().filter(({ path }) => path !== UPLOADS);

/** Every post with each ninth misfortune, and every misfortune with each ninth post; all of them in the nightly run. */
const isDueNow = (post: BillablePost, index: number): boolean =>
  isNightly || (index + billablePosts.indexOf(post)) % 9 === 0;

describe.each(billablePosts)('the POST of $name', (post) => {
  it('is sent once, and its result is saved', async () => {
    await openFor(post);
    await world.run([post.shot]);
    expect(world.job('0001').state).toBe('saved');
    expect([posts().length, world.service.ledger.commits]).toEqual([1, 1]);
  });

  it('is refused for nothing, and never sent again by itself', async () => {
    await openFor(post);
    world.fault(billable, { fault: 'status', status: 400 });
    await world.run([post.shot]);
    await world.restart();
    await world.pass(30 * HOUR);
    expect(world.job('0001')).toMatchObject({ state: 'rejected', failure: { cost: 'nothing' } });
    expect([posts().length, world.service.ledger.commits]).toEqual([1, 0]);
  });

  it.each(badAnswersOf(post).filter((_, index) => isDueNow(post, index)))(
    'is never sent again by itself when it $what',
    async ({ fault, charged }) => {
      await openFor(post);
      world.fault(billable, fault);
      await world.run([post.shot]);
      const isFound = post.isListed === true && charged === 1;
      if (isFound) expect(world.job('0001').state).toBe('saved');
      else expect(world.job('0001')).toMatchObject({ state: 'submit_unknown', failure: { cost: 'maybe' } });
      await world.restart();
      await world.settle();
      await world.pass(30 * HOUR);
      expect(world.job('0001').state).toBe(isFound ? 'saved' : 'submit_unknown');
      expect([posts().length, world.service.ledger.commits]).toEqual([1, charged]);
    },
  );
});
