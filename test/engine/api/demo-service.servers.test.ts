import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoService, type DemoService } from '../../../src/demo/service.ts';
import { createServiceClient, type ServiceClient } from '../../../src/engine/api/client.ts';
import type { PollOutcome, SubmitOutcome } from '../../../src/engine/api/calls.ts';
import { images, tasks, videos } from '../../../src/engine/api/resources/requests.ts';
import { taskPath, unlimitedQueues, clockOfTest } from './support.ts';
import { folderOfSuite } from '../../support/folders.ts';
import { MemoryLog } from '../../support/memory-log.ts';

// The demo service was written from the reference alone, without sight of the client: what both agree on was read
// in the same way twice.
describe('against the demo service', () => {
  let service: DemoService;
  let client: ServiceClient;
  const folder = folderOfSuite();

  beforeAll(async () => {
    const atOnce = { videoMs: 0, imageMs: 0, musicMs: 0, assetMs: 0, jitter: 0 };
    service = await startDemoService({ media: 'tiny', speed: atOnce });
    client = clientWith(service.apiKey);
  });
  afterAll(async () => {
    await client.close();
    await service.stop();
  });

  function clientWith(key: string): ServiceClient {
    const timeouts = { connectMs: 15_000, submitMs: 600_000, answerMs: 600_000, getMs: 30_000 };
    const [clock, logger] = [clockOfTest(), new MemoryLog()];
    return createServiceClient({
      baseUrl: service.url,
      apiKey: () => key,
      clock,
      logger,
      timeouts,
      queues: unlimitedQueues(clock),
    });
  }

  async function finished(submitted: SubmitOutcome, path: (taskId: string) => string): Promise<PollOutcome> {
    if (submitted.type !== 'accepted') throw new Error(JSON.stringify(submitted));
    for (;;) {
      const polled = await client.poll(path(submitted.taskId));
      if (polled.type !== 'task' || polled.status !== 'pending') return polled;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  const done = { type: 'task', status: 'succeeded', known: true, complaint: null };

  it('makes a video by either entry', async () => {
    const made = await client.submit(videos.create({ model: 'vgen-2.0-cl', prompt: 'A lighthouse', duration: 5 }));
    expect(await finished(made, (id) => taskPath('video', id))).toMatchObject(done);
    const compatible = await client.submit(
      videos.createCompatible({
        model: 'vgen-2.0-cl',
        content: [{ type: 'text', text: 'A lighthouse' }],
        duration: 5,
      }),
    );
    expect(await finished(compatible, tasks.path)).toMatchObject(done);
  });

  it('makes music', async () => {
    const model = (await client.models.list()).find(({ id }) => /music|song/.test(id))?.id ?? '';
    expect(await finished(await client.submit(tasks.create({ model, prompt: 'A waltz' })), tasks.path)).toMatchObject(
      done,
    );
  });

  it('makes, edits and varies images, at once and as tasks', async () => {
    const path = join(folder, 'picture.png');
    await sharp({ create: { width: 64, height: 64, channels: 3, background: '#888' } })
      .png()
      .toFile(path);
    const model = 'image-demo';
    const files = [{ field: 'image', path }];
    expect(await client.submit(images.generate({ model, prompt: 'Rain' }))).toMatchObject({ type: 'answered' });
    expect(await client.submit(images.edit({ model, prompt: 'Rain', n: 2 }, files))).toMatchObject({
      type: 'answered',
    });
    expect(await client.submit(images.vary({ model, n: 1 }, files))).toMatchObject({ type: 'answered' });
    expect(
      await finished(await client.submit(images.generateAsync({ model, prompt: 'Rain' })), (id) =>
        taskPath('image', id),
      ),
    ).toMatchObject(done);
    expect(
      await finished(await client.submit(images.editAsync({ model, prompt: 'Rain' }, files)), (id) =>
        taskPath('image', id),
      ),
    ).toMatchObject(done);
  });

  it('lists its models', async () => {
    expect((await client.models.list()).map((model) => model.id)).toContain('vgen-2.0-cl');
  });

  it('is refused with what the service says', async () => {
    expect(await client.submit(videos.create({ model: 'vgen-2.0-cl', prompt: 'x', duration: 99 }))).toMatchObject({
      type: 'refused',
      complaint: { httpStatus: 400, message: expect.saying(/duration/) },
    });
    const stranger = clientWith('sk-wrong');
    expect(await stranger.submit(videos.create({ model: 'vgen-2.0-cl', prompt: 'x' }))).toMatchObject({
      type: 'refused',
      complaint: { httpStatus: 401 },
    });
    expect(await stranger.probe()).toBe(true);
    await expect(stranger.models.list()).rejects.toMatchObject({ name: 'AuthenticationError' });
    await stranger.close();
  });
});
