import type {
  Indexed,
  IndexRequest,
  MeaningScope,
  MeaningSearch,
  MeaningStatus,
  Nearest,
} from '../../../contract/meaning.ts';
import type { Failure } from '../../../contract/failure.ts';
import type { JobView } from '../../../contract/job.ts';
import type { Settings } from '../../../contract/settings.ts';
import { parseJson } from '../../api/answer.ts';
import { jsonRequest } from '../../api/resources/requests.ts';
import type { Clock } from '../../base/ports.ts';
import type { MeaningStore } from '../../db/meaning-store.ts';
import { answerNotUnderstood } from '../tool-failures.ts';
import { toolPath } from '../tool-path.ts';
import type { ToolRunner } from '../tool-runner.ts';
import { hashOfText, textOfTake } from './take-text.ts';
import { cosine, readVectors } from './vectors.ts';

interface MeaningParts {
  readonly runner: ToolRunner;
  readonly store: MeaningStore;
  readonly viewOf: (takeId: string) => JobView | null;
  readonly settings: () => Settings;
  readonly clock: Clock;
}

/** Texts in one call. */
const TEXTS_A_CALL = 100;

interface ProjectTexts {
  /** The hash of the text of each take that has one. */
  readonly hashOfTake: ReadonlyMap<string, string>;
  readonly textOfHash: ReadonlyMap<string, string>;
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * Searches the takes of a project by what their texts mean. Vectors are made once for each text, by calls that are
 * billed, when a person asks for it; then only a question that was never asked before goes to the service.
 */
export class Meaning {
  readonly #parts: MeaningParts;
  /** Those of the model that was used last. */
  #cached: { readonly model: string; readonly vectors: Map<string, Float32Array> } | null = null;

  constructor(parts: MeaningParts) {
    this.#parts = parts;
  }

  status(scope: MeaningScope): MeaningStatus {
    return statusOf(this.#textsOf(scope));
  }

  /** Makes the vectors of the next hundred texts, in one call; none where all have one. */
  async index({ projectId, model, isAgreed }: IndexRequest, signal?: AbortSignal): Promise<Indexed> {
    const known = this.#textsOf({ projectId, model });
    const missing = [...known.textOfHash].filter(([hash]) => !known.vectors.has(hash)).slice(0, TEXTS_A_CALL);
    if (missing.length > 0) {
      const failure = await this.#embed({ projectId, model, isAgreed }, missing, signal);
      if (failure) return { type: 'failed', failure };
    }
    return { type: 'indexed', ...this.status({ projectId, model }) };
  }

  async search({ projectId, model, text, limit, isAgreed }: MeaningSearch, signal?: AbortSignal): Promise<Nearest> {
    const scope = { projectId, model };
    const hash = hashOfText(text);
    if (!this.#vectors(model, [hash]).has(hash)) {
      const failure = await this.#embed({ ...scope, isAgreed }, [[hash, text]], signal);
      if (failure) return { type: 'failed', failure };
    }
    const question = this.#vectors(model, [hash]).get(hash) ?? new Float32Array();
    const known = this.#textsOf(scope);
    const scores = new Map([...known.vectors].map(([name, vector]) => [name, cosine(question, vector)]));
    const takes = [...known.hashOfTake]
      .flatMap(([takeId, name]) => {
        const score = scores.get(name);
        return score === undefined ? [] : [{ takeId, score }];
      })
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .flatMap(({ takeId, score }) => {
        const take = this.#parts.viewOf(takeId);
        return take ? [{ take, score }] : [];
      });
    return { type: 'found', takes, status: statusOf(known) };
  }

  /** Makes and keeps vectors. What went wrong, or null. */
  async #embed(
    { projectId, model, isAgreed }: IndexRequest,
    texts: readonly (readonly [hash: string, text: string])[],
    signal?: AbortSignal,
  ): Promise<Failure | null> {
    const { runner, settings, store, clock } = this.#parts;
    const body = { model, input: texts.map(([, text]) => text) };
    const request = jsonRequest('embeddings.create', toolPath(settings(), 'embeddings'), 'json', body);
    const about = texts.length === 1 ? 'Search by meaning' : `Index ${String(texts.length)} texts for search`;
    const result = await runner.run({ tool: 'embed', projectId, about, request, isAgreed }, signal);
    if (result.type === 'failed') return result.failure;
    const answer = result.type === 'answered' ? result.answer : Buffer.alloc(0);
    const vectors = readVectors(parseJson(answer.toString('utf8')), texts.length);
    if (!vectors) {
      const what = 'no vectors could be read from its answer';
      const failure = answerNotUnderstood(what, answer, runner.answerFile(result.callId), clock.now());
      runner.markUnread(result.callId, failure);
      return failure;
    }
    store.keep(model, new Map(texts.map(([hash], index) => [hash, vectors[index] ?? new Float32Array()])));
    await runner.markUsed(result.callId);
    return null;
  }

  #textsOf({ projectId, model }: MeaningScope): ProjectTexts {
    const hashOfTake = new Map<string, string>();
    const textOfHash = new Map<string, string>();
    const hashes = new Map<string, string>();
    for (const texts of this.#parts.store.texts(projectId)) {
      const text = textOfTake(texts);
      if (text === '') continue;
      const hash = hashes.get(text) ?? hashOfText(text);
      hashes.set(text, hash);
      hashOfTake.set(texts.takeId, hash);
      textOfHash.set(hash, text);
    }
    return { hashOfTake, textOfHash, vectors: this.#vectors(model, [...textOfHash.keys()]) };
  }

  #vectors(model: string, hashes: readonly string[]): ReadonlyMap<string, Float32Array> {
    if (this.#cached?.model !== model) this.#cached = { model, vectors: new Map() };
    const { vectors } = this.#cached;
    const unknown = hashes.filter((hash) => !vectors.has(hash));
    for (const [hash, vector] of this.#parts.store.vectors(model, unknown)) vectors.set(hash, vector);
    return new Map(
      hashes.flatMap((hash) => {
        const vector = vectors.get(hash);
        return vector ? [[hash, vector]] : [];
      }),
    );
  }
}

const statusOf = ({ textOfHash, vectors }: ProjectTexts): MeaningStatus => ({
  texts: textOfHash.size,
  indexed: vectors.size,
});
