import { expect, it } from 'vitest';
import { forEachTest, type World } from '../../support/world.ts';
import { shot } from '../db/seed.ts';
import { files, namedIn, uploadsOf } from '../library/media.ts';

let world: World;
forEachTest((opened) => (world = opened));

it('uploads voices and images of a row and sends each voice with its image', async () => {
  files(world, { 'keeper.png': 'a keeper', 'keeper.wav': 'a voice' });
  const params = { reference_images: ['keeper.png'], reference_voices: ['keeper.wav'] };
  await world.run([shot(1, { params })]);
  expect(world.job('0001')).toMatchObject({ state: 'saved' });
  expect(uploadsOf(world)).toHaveLength(2);
  const [post] = world.posts('0001');
  expect(post?.body).toMatchObject({ images: [{ role: 'reference_image' }] });
  expect(post && namedIn(post)).toHaveLength(2);
});

it('takes rows of both routes in one list', async () => {
  await world.run([
    shot(1, { params: { frames: 96 } }),
    shot(2, {
      params: { duration: 5, route: 'compatible', videos: ['https://a.example/a.mp4'] },
      model: 'vgen-2.5-gl-a',
    }),
    shot(3, {
      params: { duration: 5, input_reference: 'https://a.example/a.png', input_reference_role: 'last_frame' },
    }),
  ]);
  expect(world.counts()).toMatchObject({ saved: 3 });
  expect(world.posts('0001')[0]?.body).toMatchObject({ frames: 96 });
  expect(world.posts().filter(({ path }) => path === '/api/v3/contents/generations/tasks')).toHaveLength(1);
  expect(world.posts('0003')[0]?.body).toMatchObject({ input_reference_role: 'last_frame' });
});
