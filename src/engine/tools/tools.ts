import type { JobView } from '../../contract/job.ts';
import type { CallPrice, CallsToPrice } from '../../contract/prompts.ts';
import type { Settings } from '../../contract/settings.ts';
import { callFactsOf, priceOf, pricesOn } from '../batches/price.ts';
import type { MeaningStore } from '../db/meaning-store.ts';
import { Describe } from './describe/describe.ts';
import { Meaning } from './meaning/meaning.ts';
import { Prompts } from './prompts/prompts.ts';
import { textModel } from './prompts/text-model.ts';
import { Research } from './research/research.ts';
import { ToolRunner, type ToolParts } from './tool-runner.ts';

/** Billable calls that make no take, and their stored results. */
export interface Tools {
  readonly runner: ToolRunner;
  readonly prompts: Prompts;
  readonly research: Research;
  readonly meaning: Meaning;
  readonly describe: Describe;
  /** What calls of a tool cost: each is one request, as a take of that model is. */
  price(asked: CallsToPrice): CallPrice;
}

/** Settles the calls that the last engine left unfinished. */
export async function composeTools(
  parts: ToolParts & {
    readonly meanings: MeaningStore;
    readonly viewOf: (takeId: string) => JobView | null;
    readonly settings: () => Settings;
    readonly described: Pick<ConstructorParameters<typeof Describe>[0], 'library' | 'open'>;
  },
): Promise<Tools> {
  const { ports, projects, settings } = parts;
  const { clock } = ports;
  const runner = new ToolRunner(parts);
  await runner.recover();
  return {
    runner,
    prompts: new Prompts(runner, textModel(settings), clock),
    research: new Research({ runner, settings, clock }),
    meaning: new Meaning({ runner, store: parts.meanings, projects, viewOf: parts.viewOf, settings, clock }),
    describe: new Describe({ runner, clients: parts.clients, settings, clock, ...parts.described }),
    price({ model, calls, projectId }) {
      const { prices: own, currency } = settings();
      const prices = pricesOn(projectId === null ? null : projects.service(projectId), own);
      const price = priceOf(callFactsOf(model), clock.now(), prices);
      return { price: price === null ? null : price * calls, currency };
    },
  };
}
