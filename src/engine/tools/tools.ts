import type { JobView } from '../../contract/job.ts';
import type { CallPrice, CallsToPrice } from '../../contract/tool.ts';
import type { Settings } from '../../contract/settings.ts';
import { callFactsOf, priceOf, pricesOn } from '../batches/price.ts';
import type { MeaningStore } from '../db/meaning-store.ts';
import { Describe } from './describe/describe.ts';
import { Meaning } from './meaning/meaning.ts';
import { Prompts } from './prompts/prompts.ts';
import { Research } from './research/research.ts';
import { type ToolParts, ToolRunner } from './tool-runner.ts';

/** Billable calls that make no take, and their stored results. */
export type Tools = Awaited<ReturnType<typeof composeTools>>;

/** Settles the calls that the last engine left unfinished. */
export async function composeTools(
  parts: ToolParts & {
    readonly meanings: MeaningStore;
    readonly viewOf: (takeId: string) => JobView | null;
    readonly settings: () => Settings;
    readonly described: Pick<ConstructorParameters<typeof Describe>[0], 'library' | 'open'>;
  },
) {
  const { ports, projects, settings } = parts;
  const { clock } = ports;
  const runner = new ToolRunner(parts);
  await runner.recover();
  return {
    runner,
    prompts: new Prompts(runner, settings),
    research: new Research(runner, settings),
    meaning: new Meaning({ runner, store: parts.meanings, projects, viewOf: parts.viewOf, settings, clock }),
    describe: new Describe({ runner, clients: parts.clients, settings, clock, ...parts.described }),
    /** What calls of a tool cost: each is one request, as a take of that model is. */
    price({ model, calls, projectId }: CallsToPrice): CallPrice {
      const { prices: own, currency } = settings();
      const prices = pricesOn(projectId === null ? null : projects.service(projectId), own);
      const price = priceOf(callFactsOf(model), clock.now(), prices);
      return { price: price === null ? null : price * calls, currency };
    },
  };
}
