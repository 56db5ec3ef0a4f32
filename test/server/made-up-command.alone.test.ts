import * as z from 'zod';
import { beforeEach, expect, it, vi } from 'vitest';
import { command, type Done } from '../../src/contract/commands/command.ts';
import { namesForProject } from '../../src/contract/commands/index.ts';
import { Served } from './support.ts';

/** What was shouted last, by project. */
const { shouted } = vi.hoisted(() => ({ shouted: new Map<string, number>() }));

// The two places in which a command is written; its texts stand in for those of the deck.
vi.mock('../../src/contract/commands/projects.ts', async (original) => {
  const { projectCommands } = await original<{ readonly projectCommands: object }>();
  const shout = command({
    input: z.object({ projectId: z.string() }),
    touches: 'project',
    log: 'history.queuePaused',
    shows: 'project',
    label: 'command.renameProject',
  });
  return { projectCommands: { ...projectCommands, shout } };
});
vi.mock('../../src/engine/commands/projects.ts', async (original) => {
  const { projects } = await original<{ readonly projects: object }>();
  const shout = (_context: unknown, { projectId }: { readonly projectId: string }) => {
    shouted.set(projectId, (shouted.get(projectId) ?? 0) + 1);
    return { facts: {}, undo: { command: 'projects.shout', input: { projectId } } };
  };
  return { projects: { ...projects, shout } };
});

type Shout = (input: { readonly projectId: string }) => Promise<Done | null>;

let served: Served;
beforeEach(async () => {
  served = await Served.open();
  return () => served.close();
});

it('a command that is a descriptor and a function is called, noted, undone, refused in the archive and in the palette', async () => {
  const api = served.inProcess();
  const { shout } = api.projects as unknown as { readonly shout: Shout };
  const projectId = await served.saveImages(1);
  const done = await shout({ projectId });
  expect(done).toMatchObject({ text: { key: 'history.queuePaused' }, undo: expect.any(String) as string });
  const lines = async () =>
    (await api.projects.history({ projectId, count: 2 })).map(({ by, text }) => [by, (text as { key: string }).key]);
  expect((await lines())[0]).toEqual(['window', 'history.queuePaused']);
  expect(namesForProject(false)).toContain('projects.shout');

  const undone = await api.commands.undo({ token: done?.undo ?? '' });
  expect(undone.undo).not.toBeNull();
  expect(shouted.get(projectId)).toBe(2);
  expect(await lines()).toEqual([
    ['window', 'history.queuePaused'],
    ['window', 'history.queuePaused'],
  ]);

  await api.projects.archive({ projectId });
  await expect(shout({ projectId })).rejects.toMatchObject({ data: { code: 'project_archived' } });
  expect(namesForProject(true)).toEqual(['projects.unarchive']);
});
