import { describe, expect, it } from 'vitest';
import { entries } from '../../src/demo/entries/index.ts';
import { matchPath } from '../../src/demo/entries/route.ts';
import { startDemoService, type DemoService, type FaultRule } from '../../src/demo/service.ts';
import { CliScene } from './support.ts';

/** A scene whose demo service is at hand, with faults of the test's own. */
function deskWithDemo(faults: readonly FaultRule[] = []): { scene: CliScene; service: () => DemoService } {
  const scene = new CliScene();
  const started: DemoService[] = [];
  scene.parts = {
    startDemoService: async (options) => {
      const service = await startDemoService({ ...options, clock: scene.clock, media: 'tiny' });
      for (const rule of faults) service.faults.add(rule);
      started.push(service);
      return service;
    },
  };
  return {
    scene,
    service: () => {
      const [service] = started;
      if (!service) throw new Error('no demo was started');
      return service;
    },
  };
}

/** What makes no take of a row: tools, uploads, and what a person does with a picture. */
const besides = [
  ...['/v1/embeddings', '/v1/web-search', '/v1/web-reader', '/typo/describe', '/jobimg/submit/describe'],
  ...['/v1/assets/uploads', '/v1/asset-groups'],
  // The music operation of its own takes the place of the generic task where the settings name it.
  ...['/jobimg/submit/action', '/v1/music'],
];

describe('dailies demo --all', () => {
  it('sends a take to every entry, saves and checks each, and does so through faults without a second charge', async () => {
    const { scene, service } = deskWithDemo();
    expect(await scene.run('demo', '--all', '--out', 'all')).toBe(0);
    expect(scene.stderr.text).toBe('');
    expect(scene.stdout.text).toMatch(/^P-keeper +1 +presenter +presenter-demo +mp4 +S-mp3 take 1, I-edit take 1$/m);
    expect(scene.stdout.text.match(/^(\d+) takes sent, \1 charges\.$/gm)).toHaveLength(2);
    for (const kind of ['text', 'speech']) {
      const met = 'the service was too busy at first, an answer came in small pieces';
      expect(scene.stdout.text).toContain(`${kind}: ${met}; recovered.`);
    }
    const asked = service().ledger.billableCommits();
    const missing = entries
      .filter(({ method, path }) => method === 'POST' && !besides.includes(path))
      .filter(({ path }) => !asked.some((entry) => matchPath(path, entry.path)));
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('ends with 3, and says which, when a take is not what it should be', async () => {
    const odd: FaultRule = {
      match: { method: 'GET', path: '/media/*', prompt: 'The same lighthouse, larger' },
      do: { fault: 'format', as: 'svg' },
    };
    const { scene } = deskWithDemo([odd]);
    expect(await scene.run('demo', '--all', '--out', 'all')).toBe(3);
    expect(scene.stderr.text).toMatch(/^I-pro take 1: .*nothing in it shows whether it is complete\.$/m);
  });
});
