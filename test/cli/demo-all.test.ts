import { describe, expect, it } from 'vitest';
import { startDemoService, type FaultRule } from '../../src/demo/service.ts';
import { CliScene } from './support.ts';

/** A scene whose demo service has faults of the test's own. */
function deskWithDemo(faults: readonly FaultRule[] = []): CliScene {
  const scene = new CliScene();
  scene.parts = {
    startDemoService: async (options) => {
      const service = await startDemoService({ ...options, clock: scene.clock, media: 'tiny' });
      for (const rule of faults) service.faults.add(rule);
      return service;
    },
  };
  return scene;
}

describe('dailies demo --all', () => {
  it('saves and checks a take of every row, and does so through faults without a second charge @night', async () => {
    const scene = deskWithDemo();
    expect(await scene.run('demo', '--all', '--out', 'all')).toBe(0);
    expect(scene.stderr.text).toBe('');
    expect(scene.stdout.text).toMatch(/^P-keeper +1 +presenter +presenter-demo +mp4 +S-mp3 take 1, I-edit take 1$/m);
    expect(scene.stdout.text.match(/^(\d+) takes sent, \1 charges\.$/gm)).toHaveLength(2);
    for (const kind of ['text', 'speech']) {
      const met = 'the service was too busy at first, an answer came in small pieces';
      expect(scene.stdout.text).toContain(`${kind}: ${met}; recovered.`);
    }
  });

  it('ends with 3, and says which, when a take is not what it should be', async () => {
    const odd: FaultRule = {
      match: { method: 'GET', path: '/media/*', prompt: 'The same lighthouse, larger' },
      do: { fault: 'format', as: 'svg' },
    };
    const scene = deskWithDemo([odd]);
    expect(await scene.run('demo', '--all', '--out', 'all')).toBe(3);
    expect(scene.stderr.text).toMatch(/^I-pro take 1: .*nothing in it shows whether it is complete\.$/m);
  });
});
