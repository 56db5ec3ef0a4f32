import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { voice } from '../src/demo/media/sound.ts';
import { seededRandom } from '../test/support/seeded-random.ts';

/** Of a usual embedding model. */
export const DIMENSIONS = 1024;
const VECTORS = 500;

let spoken: Promise<Buffer> | null = null;

/** Some seconds of a voice, as the service answers with. */
export function speech(): Promise<Buffer> {
  spoken ??= voice.render({
    task: { id: 'task_1', model: 'speech-demo', wanted: { prompt: 'The keeper winds the clockwork of the lamp.' } },
    ...{ index: 0, revision: 0 },
  } as never);
  return spoken;
}

let vectors: readonly string[] | null = null;
let next = 0;

/** The answer to a request for vectors: one for each text, in turn. */
export async function vectorsFor(request: IncomingMessage): Promise<string> {
  vectors ??= someVectors();
  const { input } = JSON.parse((await buffer(request)).toString()) as { input: string[] };
  const data = input.map((_text, index) => {
    next += 1;
    return `{"object":"embedding","index":${String(index)},"embedding":${vectors?.[next % VECTORS] ?? ''}}`;
  });
  return `{"object":"list","data":[${data.join(',')}],"model":"embed"}`;
}

function someVectors(): string[] {
  const random = seededRandom(1);
  const vector = (): number[] => Array.from({ length: DIMENSIONS }, () => Number((random() - 0.5).toFixed(6)));
  return Array.from({ length: VECTORS }, () => JSON.stringify(vector()));
}
