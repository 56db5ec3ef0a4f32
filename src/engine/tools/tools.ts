import type { UploadReport } from '../../contract/asset.ts';
import type { JobView } from '../../contract/job.ts';
import type { CallPrice, CallsToPrice } from '../../contract/prompts.ts';
import type { Clipping, ClippingPage, WebFinding } from '../../contract/research.ts';
import type { Settings } from '../../contract/settings.ts';
import { callFactsOf, priceOf, pricesOn } from '../batches/price.ts';
import type { MeaningStore } from '../db/meaning-store.ts';
import { projectOf } from '../projects/overview.ts';
import { Describe } from './describe/describe.ts';
import { Meaning } from './meaning/meaning.ts';
import { Prompts } from './prompts/prompts.ts';
import { textModel } from './prompts/text-model.ts';
import { clippingsOf, keepClipping, putClipping, removeClipping } from './research/clippings.ts';
import { pictureToLibrary, type PictureParts } from './research/pictures.ts';
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
  readonly clippings: {
    /** The newest first. */
    list(projectId: string, limit: number): Promise<ClippingPage>;
    keep(projectId: string, kept: { finding: WebFinding; askedFor: string }): Promise<Clipping>;
    remove(projectId: string, id: string): Promise<void>;
    /** Restores a removed one. */
    restore(projectId: string, clipping: Clipping): Promise<void>;
    /** Brings a picture that a finding names into the library. Throws RefusedError when it cannot be fetched. */
    picture(projectId: string, url: string, signal?: AbortSignal): Promise<UploadReport>;
  };
}

/** Settles the calls that the last engine left unfinished. */
export async function composeTools(
  parts: ToolParts & {
    readonly meanings: MeaningStore;
    readonly viewOf: (takeId: string) => JobView | null;
    readonly settings: () => Settings;
    readonly pictures: PictureParts;
    readonly described: Pick<ConstructorParameters<typeof Describe>[0], 'library' | 'open'>;
    /** The clippings of a project are others now. */
    readonly changed: (projectId: string) => void;
  },
): Promise<Tools> {
  const { ports, projects, settings } = parts;
  const { clock } = ports;
  const runner = new ToolRunner(parts);
  await runner.recover();
  const folder = (projectId: string) => projectOf(projects, projectId).path;
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
    clippings: {
      list: async (projectId, limit) => clippingsOf(folder(projectId), limit),
      keep: async (projectId, kept) => {
        const clipping = await keepClipping(folder(projectId), { ...kept, at: clock.now() });
        parts.changed(projectId);
        return clipping;
      },
      remove: async (projectId, id) => {
        await removeClipping(folder(projectId), id);
        parts.changed(projectId);
      },
      restore: async (projectId, clipping) => {
        await putClipping(folder(projectId), clipping);
        parts.changed(projectId);
      },
      picture: (projectId, url, signal) =>
        pictureToLibrary(parts.pictures, projectOf(projects, projectId), url, signal),
    },
  };
}
