import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService } from './support.ts';

describe('dailies takes act', () => {
  it('lists the buttons of a take, and queues a take by one of them at its price', async () => {
    const desk = await deskWithService();
    writeFileSync(
      desk.path('stills.csv'),
      'shot,kind,model,prompt,operation\nP01,image,image-demo,A harbour,imagine\n',
    );
    expect(await desk.run('run', 'stills.csv', '--project', 'film')).toBe(0);
    expect(await desk.run('jobs', 'list', '--json')).toBe(0);
    const id = String(desk.stdout.objects[0]?.['id']);

    expect(await desk.run('takes', 'act', id)).toBe(0);
    expect(desk.said).toMatch(/^U1$[\s\S]*^🔄$[\s\S]*--button NAME/m);
    expect(await desk.run('takes', 'act', id, '--button', 'U9')).toBe(2);
    expect(desk.stderr.text).toContain('It has: U1, U2');
    expect(desk.service.ledger.commits).toBe(1);

    expect(await desk.run('takes', 'act', id, '--button', 'u1')).toBe(0);
    expect(desk.said).toContain('Estimate: image image-demo: 1 take, no price known');
    expect(desk.said).toContain('U1: queued');
    expect(await desk.run('resume')).toBe(0);
    expect(await desk.run('jobs', 'list', '--standing', 'saved', '--json')).toBe(0);
    expect(desk.stdout.objects.filter(({ type }) => type === 'job')).toMatchObject([
      { take: 1 },
      { take: 2, from: [{ how: 'action', takeId: id }] },
    ]);
    expect(desk.service.ledger.commits).toBe(2);
  });
});
