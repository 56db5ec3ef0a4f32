import * as z from 'zod';
import { expect, it, vi } from 'vitest';
import { command, Id } from '../../src/contract/commands/command.ts';
import { MCP_TOOLS } from '../../src/cli/commands/mcp.ts';
import { CliScene, deskWithService } from './support.ts';

/** What was polished, and how. */
const { polished } = vi.hoisted(() => ({ polished: [] as object[] }));

// The two places in which a command is written; its texts stand in for those of the deck.
vi.mock('../../src/contract/commands/batches.ts', async (original) => {
  const { batchCommands } = await original<{ readonly batchCommands: object }>();
  const polish = command({
    input: z.object({ batchId: Id, shine: z.int(), twice: z.boolean().optional(), how: z.enum(['wax', 'oil']) }),
    touches: 'batch',
    log: 'history.queuePaused',
    label: 'command.archiveBatch',
    cli: 'batches polish <BATCH>',
  });
  return { batchCommands: { ...batchCommands, polish } };
});
vi.mock('../../src/engine/commands/batches.ts', async (original) => {
  const { batches } = await original<{ readonly batches: object }>();
  const polish = (_context: unknown, input: object) => {
    polished.push(input);
    return { facts: {}, undo: null };
  };
  return { batches: { ...batches, polish } };
});

it('a command of the table is a verb with its arguments, options, help and answer @night', async () => {
  const scene = await deskWithService();
  await scene.run('demo', '--out', 'film', '--shots', '1');
  const inFilm = [
    '--data',
    scene.path('film', '.dailies-demo-data'),
    'batches',
    'polish',
    'sample',
    '--project',
    'film',
  ];
  expect(await scene.run(...inFilm, '--shine', '3', '--twice', '--how', 'wax')).toBe(0);
  expect(scene.stdout.lines).toEqual(['Paused the queue.']);
  expect(polished).toEqual([{ batchId: expect.any(String) as string, shine: 3, twice: true, how: 'wax' }]);
  expect(await scene.refuses(...inFilm, '--shine', 'much', '--how', 'wax')).toContain('shine');
  expect(await scene.refuses(...inFilm, '--shine', '3', '--how', 'spit')).toContain('Allowed: wax, oil');
});

it('is in the help', async () => {
  const scene = new CliScene();
  expect(await scene.says('batches', '--help')).toMatch(/polish \[options\] <BATCH> +archive batch/);
  expect(await scene.run('batches', 'polish', '--help')).toBe(0);
  for (const flag of ['--project', '--shine', '--twice', '--how']) expect(scene.stdout.text).toContain(flag);
});

it('is a tool of agents, which changes something and costs nothing', () => {
  const tool = MCP_TOOLS.find(({ name }) => name === 'batches_polish');
  expect(tool).toMatchObject({ does: 'changes' });
  expect(tool?.description()).toBe('Archive batch.');
  expect(Object.keys(tool?.inputSchema().properties ?? {})).toEqual(['batchId', 'shine', 'twice', 'how']);
});
