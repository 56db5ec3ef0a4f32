import { sampleKit } from '../../src/host/hosted-engine.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startDemoService } from '../../src/demo/service.ts';
import { processEnvironment } from '../../src/host/process-environment.ts';

it('the sample opens once the cause that kept its service from starting is gone, and can be stopped before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dailies-sample-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let isFull = true;
  const kit = sampleKit(
    {
      ...processEnvironment(),
      startDemoService: (options) => (isFull ? Promise.reject(new Error('full')) : startDemoService(options)),
    },
    folder,
  );
  await expect(kit.open()).rejects.toThrow('full');
  await kit.stop();
  isFull = false;
  expect((await kit.open()).service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await kit.stop();
});
