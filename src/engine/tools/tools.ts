import type { Clipping, WebFinding } from '../../contract/research.ts';
import type { Settings } from '../../contract/settings.ts';
import { projectOf } from './project-of.ts';
import { Prompts } from './prompts/prompts.ts';
import { textModel } from './prompts/text-model.ts';
import { clippingsOf, keepClipping, removeClipping } from './research/clippings.ts';
import { Research } from './research/research.ts';
import { ToolRunner, type ToolParts } from './tool-runner.ts';

/** Billable calls that make no take, and what is kept of them. */
export interface Tools {
  readonly runner: ToolRunner;
  readonly prompts: Prompts;
  readonly research: Research;
  readonly clippings: {
    list(projectId: string): Promise<Clipping[]>;
    keep(projectId: string, kept: { finding: WebFinding; askedFor: string }): Promise<Clipping>;
    remove(projectId: string, id: string): Promise<void>;
  };
}

/** Settles what the last engine left in the middle, and is ready. */
export async function composeTools(parts: ToolParts & { readonly settings: () => Settings }): Promise<Tools> {
  const { ports, projects, settings } = parts;
  const { clock } = ports;
  const runner = new ToolRunner(parts);
  await runner.recover();
  const folder = (projectId: string) => projectOf(projects, projectId).path;
  return {
    runner,
    prompts: new Prompts(runner, textModel(settings), clock),
    research: new Research({ runner, settings, clock }),
    clippings: {
      list: async (projectId) => clippingsOf(folder(projectId)),
      keep: async (projectId, kept) => keepClipping(folder(projectId), { ...kept, at: clock.now() }),
      remove: async (projectId, id) => removeClipping(folder(projectId), id),
    },
  };
}
