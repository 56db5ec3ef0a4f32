import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aPicture } from '../support/billable-posts.ts';
import { deskWithService } from './support.ts';

describe('dailies describe', () => {
  it('puts a picture into words, a file by typography and a take by the job-style family', async () => {
    const desk = await deskWithService();
    writeFileSync(desk.path('day.png'), aPicture);
    expect(await desk.run('describe', 'day.png', '--with', 'typo')).toBe(0);
    expect(desk.said).toMatch(/\w+ \w+/);
    writeFileSync(desk.path('stills.csv'), 'shot,kind,model,prompt\nP01,image,image-demo,A harbour\n');
    expect(await desk.run('run', 'stills.csv', '--project', 'film')).toBe(0);
    expect(await desk.run('jobs', 'list', '--json')).toBe(0);
    const id = String(desk.stdout.objects[0]?.['id']);
    expect(await desk.run('describe', id, '--with', 'job', '--json')).toBe(0);
    expect(desk.stdout.objects).toMatchObject([{ type: 'description', text: expect.stringMatching(/\w+/) as string }]);
    expect(await desk.run('describe', 'none.png', '--with', 'typo')).toBe(2);
    expect(desk.stderr.text).toContain('Nothing was sent');
    expect(desk.service.ledger.commits).toBe(3);
  });
});
