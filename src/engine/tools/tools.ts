import type { CallPrice, CallsToPrice } from '../../contract/tool.ts';
import { settingsOn } from '../../contract/accounts.ts';
import { callFactsFor, priceFor } from '../batches/price.ts';
import type { StepContext } from '../jobs/step-context.ts';
import type { Library } from '../library/library.ts';
import { openDescribe } from './describe/describe.ts';
import { openMeaning } from './meaning/meaning.ts';
import { openPrompts } from './prompts/prompts.ts';
import { pictureToShow } from './research/pictures.ts';
import { openResearch } from './research/research.ts';
import type { ToolRunner } from './tool-runner.ts';

export type Tools = ReturnType<typeof composeTools>;

export const composeTools = (runner: ToolRunner, context: StepContext, library: (projectId?: string) => Library) => ({
  runner,
  prompts: openPrompts(runner, context),
  research: openResearch(runner, context),
  webPicture: pictureToShow.bind(null, context),
  meaning: openMeaning(runner, context),
  ...openDescribe(runner, context, library),
  price({ model, calls, projectId }: CallsToPrice): CallPrice {
    const { settings, projects, ports } = context;
    const { prices } = settingsOn(settings, projectId === null ? null : projects.service(projectId));
    const price = priceFor(callFactsFor(model), ports.clock.now(), prices);
    return { price: price === null ? null : price * calls, currency: settings.currency };
  },
});
