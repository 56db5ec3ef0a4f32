import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deskWithService } from './support.ts';

const LIST = 'shot,kind,model,prompt\n010,image,image-demo,{door} at dusk\n';

describe('dailies prompts variables', () => {
  it('are set, listed and removed, and a run sends their texts', async () => {
    const desk = await deskWithService();
    writeFileSync(desk.path('doors.csv'), LIST);
    expect(await desk.run('prompts', 'variables', 'set', 'door', 'A red door')).toBe(0);
    expect(desk.said).toContain('Set the variable door.');
    expect(await desk.run('run', 'doors.csv', '--project', 'film', '--dry-run', '--offline')).toBe(0);
    expect(desk.stdout.text).toContain('A red door at dusk');
    expect(await desk.run('run', 'doors.csv', '--project', 'film')).toBe(0);

    // What was made stays; a project's own text goes before the one of every project, and makes the row another one.
    expect(await desk.run('prompts', 'variables', 'set', 'door', 'A blue door', '--project', 'film')).toBe(0);
    expect(await desk.run('prompts', 'variables', 'list', '--project', 'film', '--json')).toBe(0);
    expect(desk.stdout.objects).toMatchObject([
      { type: 'variable', name: 'door', text: 'A red door', projectId: null },
      { type: 'variable', name: 'door', text: 'A blue door', projectId: expect.any(String) },
    ]);
    expect(await desk.run('run', 'doors.csv', '--project', 'film')).toBe(0);
    expect(desk.service.ledger.commits).toBe(2);

    expect(await desk.run('prompts', 'variables', 'remove', 'door', '--project', 'film')).toBe(0);
    expect(await desk.run('prompts', 'variables', 'remove', 'door', '--project', 'film')).toBe(2);
    expect(await desk.run('prompts', 'variables', 'set', '1door', 'A door')).toBe(2);
    expect(desk.stderr.text).toContain('cannot be the name of a variable');
    expect(await desk.run('presets', 'list', '--project', 'film')).toBe(0);
    expect(desk.said).toContain('There are no presets.');
  });
});
