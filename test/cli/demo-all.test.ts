import { expect, it } from 'vitest';
import { type DemoService, startDemoService, type FaultRule } from '../support/demo/service.ts';
import { CliScene } from './support.ts';

const ANSWER = { method: 'POST', path: /^(?!\/v1\/assets)/ };
const QUERY = { method: 'GET', path: /^(?!\/media\/|\/v1\/assets)/ };
const KINDS = ['video', 'image', 'music', 'text', 'speech', 'presenter'] as const;

/** Faults that a take recovers from without another billable request. */
const FAULTS: readonly FaultRule[] = [
  // Before `drip`, which strikes all answers: the first rule that strikes a request wins.
  { match: ANSWER, do: { fault: 'rate-limit', seconds: 1 } },
  { match: { ...ANSWER, times: 'always' }, do: { fault: 'drip', bytes: 4096, pauseMs: 20 } },
  { match: QUERY, do: { fault: 'reset' } },
  { match: QUERY, do: { fault: 'html', status: 502 } },
  { match: { method: 'GET', path: '/media/*' }, do: { fault: 'cut', afterBytes: 256 } },
];

it('a take of every kind, family and operation is saved through faults, and charged once @night', async () => {
  const scene = new CliScene();
  const services: DemoService[] = [];
  const rules: number[] = [];
  scene.parts = {
    startDemoService: async (options) => {
      const service = await startDemoService({ ...options, clock: scene.clock, media: 'tiny' });
      const all = KINDS.flatMap((kind) =>
        FAULTS.map(({ match, do: fault }) => ({ match: { ...match, kind }, do: fault })),
      );
      rules.push(...all.map((rule) => service.faults.add(rule)));
      services.push(service);
      return service;
    },
  };
  expect(await scene.run('demo', '--all', '--out', 'all')).toBe(0);
  expect(scene.stderr.text).toBe('');
  const { ledger, faults } = services[0] as DemoService;
  for (const [place, kind] of KINDS.entries()) {
    const met = rules.slice(place * FAULTS.length, (place + 1) * FAULTS.length).filter((rule) => faults.hits(rule) > 0);
    expect(met.length, kind).toBeGreaterThan(1);
  }
  const saved = Number(
    /^every-kind +(\d+)/m.exec(scene.stdout.text)?.[1] ?? /^all +(\d+)/m.exec(scene.stdout.text)?.[1],
  );
  expect(saved).toBeGreaterThan(20);
  expect(ledger.commits).toBe(saved);
  expect(await scene.run('verify', 'all')).toBe(0);
});
