import { afterEach } from 'vitest';
import { startDemoService } from '../support/demo/service.ts';
import type { DemoClock, DemoService, DemoServiceOptions, Fault, FaultRule } from '../support/demo/service.ts';

/** A clock that stands still until it is moved. */
class FakeClock implements DemoClock {
  #now = Date.UTC(2026, 0, 2, 3, 4, 5);
  #sleepers = new Set<{ until: number; wake: () => void }>();

  now(): number {
    return this.#now;
  }

  sleep(ms: number, options?: { signal?: AbortSignal }): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { until: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      options?.signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(new Error('The sleep was cut short.'));
      });
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.until > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }
}

export interface Reply {
  status: number;
  headers: Headers;
  /** The body read as JSON; an empty object when it is something else. */
  json: Record<string, unknown>;
  /** The code of an ErrorResponse. */
  code: string | undefined;
}

export interface Bench {
  service: DemoService;
  clock: FakeClock;
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  form(path: string, parts: Record<string, string | Blob>): Promise<Reply>;
  patch(path: string, body: unknown): Promise<Reply>;
  /** Has the service meet requests with a fault. */
  fault(match: FaultRule['match'], fault: Fault): number;
  /** Moves the clock past the end of every task and asset made so far. */
  letEverythingFinish(): void;
}

const HOUR = 3_600_000;
const running: DemoService[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

/** A service with tiny media and a clock that only the test moves; stopped after the test. */
export async function startBench(options: DemoServiceOptions = {}): Promise<Bench> {
  const clock = new FakeClock();
  const service = await startDemoService({ media: 'tiny', clock, resultTtlMs: 10 * HOUR, ...options });
  running.push(service);
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const headers = { authorization: `Bearer ${service.apiKey}`, ...(init.headers as Record<string, string>) };
    return readReply(await fetch(`${service.url}${path}`, { ...init, headers }));
  };
  const send = (method: string) => (path: string, body: unknown) =>
    ask(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  return {
    service,
    clock,
    get: (path) => ask(path, { method: 'GET' }),
    post: send('POST'),
    patch: send('PATCH'),
    form: (path, parts) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(parts)) form.append(name, value);
      return ask(path, { method: 'POST', body: form });
    },
    fault: (match, fault) => service.faults.add({ match, do: fault }),
    letEverythingFinish: () => clock.advance(HOUR),
  };
}

export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  const json = parsed(text);
  const { code } = (json.error ?? {}) as { code?: string };
  return { status: response.status, headers: response.headers, json, code };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const VIDEO = { model: 'vgen-2.0-cl', prompt: 'A lighthouse at dawn', duration: 5 };
export const IMAGE = { model: 'image-demo', prompt: 'A red kite' };
export const MUSIC = { model: 'music-demo', prompt: 'Slow strings' };

/** Orders a video and lets it finish; returns its id and the first result address. */
export async function finishedVideo(bench: Bench, prompt = VIDEO.prompt): Promise<{ id: string; url: string }> {
  const { json } = await bench.post('/v1/videos', { ...VIDEO, prompt });
  bench.letEverythingFinish();
  const id = String(json.id);
  return { id, url: await resultUrl(bench, id) };
}

export async function resultUrl(bench: Bench, id: string): Promise<string> {
  const { json } = await bench.get(`/v1/videos/${id}`);
  const [first] = json.output as { url: string }[];
  return first?.url ?? '';
}

/** Uploads a medium by address and lets it get ready; returns its `Asset://` reference. */
export async function readyAsset(bench: Bench, fields: Record<string, unknown>): Promise<string> {
  const { json } = await bench.post('/v1/assets/uploads', { url: 'https://media.example/a', ...fields });
  bench.letEverythingFinish();
  return String(json.reference);
}

/** The network error of a failed request. */
export async function networkError(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'no error';
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause;
    return cause?.code ?? String(error);
  }
}
