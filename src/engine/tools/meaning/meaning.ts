import { messageFor } from '../../../contract/messages/message.ts';
import {
  type Indexed,
  type IndexRequest,
  type MeaningScope,
  type MeaningSearch,
  type MeaningStatus,
  type Nearest,
  type NearTo,
  TEXTS_A_CALL,
  type ToolCall,
} from '../../../contract/tool.ts';
import type { Failure } from '../../../contract/failure.ts';
import { embeddings } from '../../api/resources/requests.ts';
import { refused, type RefusedError } from '../../base/errors.ts';
import { createYielder } from '../../base/slices.ts';
import type { TakeTexts } from '../../db/tool-store.ts';
import { type Place, placeIn } from '../../files/place.ts';
import { readBeginning } from '../../files/project-files.ts';
import type { StepContext } from '../../jobs/step-context.ts';
import { projectFor } from '../../projects/overview.ts';
import { toolPath, type ToolRunner } from '../tool-runner.ts';
import { createHash } from 'node:crypto';
import type { Json } from '../../../contract/json.ts';
import { isObject } from '../../api/answer.ts';

/** How long the texts of a project serve to be indexed, ms: calls follow each other, and a note may change. */
const READ_AGAIN_MS = 10_000;

/** The texts of a project by hash, so that a text of several takes counts once. */
interface ProjectTexts {
  readonly hashesOfTake: ReadonlyMap<string, readonly string[]>;
  readonly sources: ReadonlyMap<string, string | Place>;
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/**
 * Searches the takes of a project by the meaning of their texts. Vectors are made once for each text, by billed calls
 * that a person starts. After that, only a new question is sent to the service.
 */
export function openMeaning(runner: ToolRunner, context: StepContext) {
  let cached: { readonly model: string; readonly vectors: Map<string, Float32Array | null> } | null = null;
  /** The texts that were read last. They serve the calls that index them. */
  let lastRead: (Pick<ProjectTexts, 'sources'> & { readonly projectId: string; readonly at: number }) | null = null;
  /** The last answer. It serves page after page until something changes. */
  let ranked: { readonly name: string; readonly scores: ReadonlyMap<string, number> } | null = null;
  const unreadable = new Set<string>();

  async function status(scope: MeaningScope): Promise<MeaningStatus> {
    const { sources, vectors } = await textsOf(scope);
    return { texts: sources.size, indexed: vectors.size };
  }

  /** Makes the vectors of the next hundred texts in one call; sends nothing if all texts have one. */
  async function index({ projectId, model, isAgreed }: IndexRequest, signal?: AbortSignal): Promise<Indexed> {
    const sources = await recentSources({ projectId, model });
    const next = await readable([...sources].filter(([hash]) => !unreadable.has(hash) && !vectorOf(model, hash)));
    if (next.length > 0) {
      const failure = await embed({ projectId, model, isAgreed }, next, signal);
      if (failure) return { type: 'failed', failure };
    }
    const texts = [...sources.keys()].filter((hash) => !unreadable.has(hash));
    const indexed = texts.filter((hash) => vectorOf(model, hash)).length;
    // The next call looks for what was added.
    if (indexed === texts.length) lastRead = null;
    return { type: 'indexed', texts: texts.length, indexed };
  }

  async function recentSources({ projectId, model }: MeaningScope): Promise<ProjectTexts['sources']> {
    const at = context.ports.clock.now();
    // Where a question was asked with another model, the vectors of this one are read again, too.
    const isSame = lastRead?.projectId === projectId && cached?.model === model;
    if (lastRead && isSame && Math.abs(at - lastRead.at) < READ_AGAIN_MS) return lastRead.sources;
    const { sources } = await textsOf({ projectId, model });
    lastRead = { projectId, at, sources };
    return sources;
  }

  async function search(
    { projectId, model, text, limit, isAgreed }: MeaningSearch,
    signal?: AbortSignal,
  ): Promise<Nearest> {
    const hash = hashOfText(text);
    if (!vectorOf(model, hash)) {
      const failure = await embed({ projectId, model, isAgreed }, [[hash, text]], signal);
      if (failure) return { type: 'failed', failure };
    }
    const found = await scores(projectId, { model, text });
    const takes = [...found].slice(0, limit).flatMap(([takeId, score]) => {
      const take = context.queries.view(takeId);
      return take ? [{ take, score }] : [];
    });
    return { type: 'found', takes, status: await status({ projectId, model }) };
  }

  /** How near takes are to a question, the nearest first. Sends nothing: throws RefusedError for one never asked. */
  async function scores(projectId: string, { model, text }: NearTo): Promise<ReadonlyMap<string, number>> {
    const name = JSON.stringify([projectId, model, text, context.meanings.changes()]);
    if (ranked?.name === name) return ranked.scores;
    const hash = hashOfText(text);
    const question = vectorOf(model, hash);
    if (!question) throw questionNotAsked();
    const { hashesOfTake, vectors } = await textsOf({ projectId, model });
    const byHash = new Map<string, number>();
    const giveWay = createYielder();
    for (const [each, vector] of vectors) {
      byHash.set(each, cosine(question, vector));
      await giveWay();
    }
    const nearest = [...hashesOfTake].flatMap(([takeId, hashes]): [string, number][] => {
      const known = hashes.flatMap((each) => byHash.get(each) ?? []);
      return known.length === 0 ? [] : [[takeId, Math.max(...known)]];
    });
    const sorted = new Map(nearest.sort(([, a], [, b]) => b - a));
    ranked = { name, scores: sorted };
    return sorted;
  }

  /** The next texts to be sent. A file that cannot be read, or says nothing, is no text until the engine starts again. */
  async function readable(sources: readonly (readonly [string, string | Place])[]): Promise<[string, string][]> {
    const found: [string, string][] = [];
    for (const [hash, source] of sources) {
      if (found.length === TEXTS_A_CALL) break;
      const text = typeof source === 'string' ? source : await wordsAt(source);
      if (text === '') unreadable.add(hash);
      else found.push([hash, text]);
    }
    return found;
  }

  async function embed(
    { projectId, model, isAgreed }: IndexRequest,
    texts: readonly (readonly [hash: string, text: string])[],
    signal?: AbortSignal,
  ): Promise<Failure | null> {
    const { settings, meanings } = context;
    const unclear = unclearWith(model, new Set(texts.map(([, text]) => text)));
    const failure = unclear.find((call) => call.failure)?.failure;
    if (failure && !isAgreed) return failure;
    for (const { id } of unclear) runner.dismiss(id);
    const body = { model, input: texts.map(([, text]) => text) };
    const request = embeddings.create(body, toolPath(settings, 'embeddings'));
    const about =
      texts.length === 1
        ? messageFor('review.searchByMeaning')
        : messageFor('tools.aboutIndex', { count: texts.length });
    const ask = { tool: 'embed' as const, projectId, about, request, isAgreed };
    const result = runner.read(await runner.run(ask, signal), 'vectors', (_answer, json) => {
      const vectors = readVectors(json, texts.length);
      return vectors && { vectors };
    });
    if ('failure' in result) return result.failure;
    const { vectors, callId } = result;
    const made = new Map(texts.map(([hash], index) => [hash, vectors[index] ?? new Float32Array()]));
    meanings.keep(model, made);
    if (cached?.model === model) for (const [hash, vector] of made) cached.vectors.set(hash, vector);
    await runner.markUsed(callId);
    return null;
  }

  /** Calls that may have been charged for one of these texts, whichever others were sent with it. */
  function unclearWith(model: string, texts: ReadonlySet<string>): ToolCall[] {
    return runner.unclear((request) => {
      const { model: ofCall, input } = request.body;
      return ofCall === model && Array.isArray(input) && input.some((text) => texts.has(String(text)));
    });
  }

  async function textsOf({ projectId, model }: MeaningScope): Promise<ProjectTexts> {
    const { meanings: store, projects } = context;
    const { path } = projectFor(projects, projectId);
    const hashesOfTake = new Map<string, string[]>();
    const sources = new Map<string, string | Place>();
    const giveWay = createYielder();
    for (let page = store.texts(projectId, 0); page.length > 0; page = store.texts(projectId, page.at(-1)?.seq ?? 0)) {
      for (const texts of page) {
        const ofTake = textsOfTake(texts).map((text) => {
          const hash = hashOfText(text);
          sources.set(hash, text);
          return hash;
        });
        hashesOfTake.set(texts.takeId, ofTake);
      }
      await giveWay();
    }
    for (const { takeId, sha256, file } of store.words(projectId)) {
      if (unreadable.has(sha256)) continue;
      hashesOfTake.set(takeId, [...(hashesOfTake.get(takeId) ?? []), sha256]);
      if (!sources.has(sha256)) sources.set(sha256, placeIn(path, file));
    }
    const vectors = new Map<string, Float32Array>();
    for (const hash of sources.keys()) {
      const vector = vectorOf(model, hash);
      if (vector) vectors.set(hash, vector);
      await giveWay();
    }
    return { hashesOfTake, sources, vectors };
  }

  /** A text is looked for once: vectors are made here alone. */
  function vectorOf(model: string, hash: string): Float32Array | null {
    if (cached?.model !== model) cached = { model, vectors: new Map() };
    const { vectors } = cached;
    const known = vectors.get(hash);
    if (known !== undefined) return known;
    const found = context.meanings.vector(model, hash);
    vectors.set(hash, found);
    return found;
  }

  return { status, index, search, scores };
}

const wordsAt = (file: Place): Promise<string> => readBeginning(file, MAX_BYTES).then(textOfWords, () => '');

const questionNotAsked = (): RefusedError => refused('question_not_asked', 'failure.questionNotAsked');

/** Longer texts say nothing more about a take, and models refuse them. */
const LONGEST = 8000;
/** Enough bytes for that many characters of any kind. */
const MAX_BYTES = 4 * LONGEST;

/**
 * The texts about a take: what its shot says, and the reviewer's note. The note is a separate text, so that the takes
 * of a shot share one text and a new note does not make a take unfindable.
 */
export function textsOfTake({ prompt, title, notes, note }: TakeTexts): string[] {
  const ofShot = [title, prompt, notes].filter((part) => part !== null && part.trim() !== '');
  return [ofShot.join('\n'), note ?? ''].filter((text) => text.trim() !== '').map(bounded);
}

/** The beginning of a text that a take made, from its first bytes; empty if there is no text. */
export const textOfWords = (bytes: Buffer): string => bounded(bytes.toString('utf8').trim());

/** Half a character could not be sent. */
const bounded = (text: string): string => text.slice(0, LONGEST).toWellFormed();

const hashOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Vectors are stored with length 1, so that their product is the cosine. */

/** More dimensions than any model has. */
const MAX_DIMENSIONS = 16_384;

/** The vectors of `count` texts in an answer, in the order of the texts; null if any is missing. */
export function readVectors(answer: Json | undefined, count: number): Float32Array[] | null {
  const data = isObject(answer) ? answer['data'] : undefined;
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = new Map<number, Float32Array>();
  for (const [place, item] of data.entries()) {
    if (!isObject(item)) return null;
    const vector = unitVector(item['embedding']);
    if (!vector) return null;
    vectors.set(typeof item['index'] === 'number' ? item['index'] : place, vector);
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index));
  const isSame = ordered.every((vector) => vector?.length === ordered[0]?.length);
  return isSame ? (ordered as Float32Array[]) : null;
}

function unitVector(numbers: Json | undefined): Float32Array | null {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MAX_DIMENSIONS) return null;
  if (!numbers.every((number) => typeof number === 'number' && Number.isFinite(number))) return null;
  const vector = Float32Array.from(numbers as number[]);
  const length = Math.sqrt(cosine(vector, vector));
  return length > 0 && Number.isFinite(length) ? vector.map((number) => number / length) : null;
}

/** For two vectors of length 1 from one model; 0 if they cannot be compared. */
function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
