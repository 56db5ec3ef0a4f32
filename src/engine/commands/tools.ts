import type { CommandFunctions } from './command-function.ts';

export const tools: CommandFunctions<'tools'> = {
  rewrite: ({ tools }, request, { signal }) => tools.prompts.rewrite(request, signal),
  shots: ({ tools }, request, { signal }) => tools.prompts.shots(request, signal),
  search: ({ tools }, request, { signal }) => tools.research.search(request, signal),
  readPage: ({ tools }, request, { signal }) => tools.research.readPage(request, signal),
  describe: ({ tools }, request, { signal }) => tools.describe.describe(request, signal),
  index: ({ tools }, request, { signal }) => tools.meaning.index(request, signal),
  nearest: ({ tools }, request, { signal }) => tools.meaning.search(request, signal),
  used: ({ tools }, { callId }) => tools.runner.markUsed(callId),
  dismiss: ({ tools }, { callId }) => tools.runner.dismiss(callId),
};
