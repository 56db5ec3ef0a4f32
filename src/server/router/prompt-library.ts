import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export const promptLibraryRouter = (os: Implementer, { engine: { prompts, views }, caller }: Services) => {
  const { promptLibrary } = os;
  /** Refuses what would be kept for a project that is not there. */
  const assureProject = async (projectId: string | null): Promise<void> => {
    if (projectId !== null) await views.project(projectId);
  };
  return {
    variables: promptLibrary.variables.handler(({ input }) => prompts.variables(input.projectId)),
    setVariable: promptLibrary.setVariable.handler(async ({ input }) => {
      await assureProject(input.projectId);
      prompts.setVariable(input, caller);
    }),
    removeVariable: promptLibrary.removeVariable.handler(({ input }) => prompts.removeVariable(input, caller)),
    presets: promptLibrary.presets.handler(({ input }) => prompts.presets(input.projectId)),
    savePreset: promptLibrary.savePreset.handler(async ({ input }) => {
      await assureProject(input.projectId);
      return prompts.savePreset(input, caller);
    }),
    renamePreset: promptLibrary.renamePreset.handler(({ input }) => prompts.renamePreset(input.id, input.name, caller)),
    removePreset: promptLibrary.removePreset.handler(({ input }) => prompts.removePreset(input.id, caller)),
  };
};
